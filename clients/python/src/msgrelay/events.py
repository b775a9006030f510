"""What a client reports: the items of a subscriber's stream, and events of connections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Union

from .errors import ConnectionFailed, NotDone, RelayError

# Reasons of a Gap.
UNEXPLAINED = 0
SLOW = 1
NOT_HELD = 2
DAMAGED = 3
SUPERSEDED = 4


class Message(NamedTuple):
    """A message of the stream."""

    sequence: int
    """Number in the stream, from 1; 0: not known (a plain subscriber; types without SEQUENCES)."""
    type: int
    """Signed 32 bits; Relay gives it no meaning."""
    body: bytes


@dataclass(frozen=True)
class Gap:
    """The messages ``from_`` to ``to``, both included, are missed; with ``SUPERSEDED`` none is lost: newer ones of the
    same types follow, or the subscriber's types left them out."""

    from_: int
    to: int
    reason: int
    """``SLOW``, ``NOT_HELD``, ``DAMAGED``, ``SUPERSEDED``, or a later one. ``UNEXPLAINED``: this client found it."""


@dataclass(frozen=True)
class StreamChanged:
    """The relay has another stream. To a subscriber all of the former one from ``lost_from`` on is lost; to a
    publisher (``lost_from`` 0) what was acknowledged is gone."""

    lost_from: int


@dataclass(frozen=True)
class RolledBack:
    """``from_`` to ``to`` are gone: sequences that a subscriber had, or numbers that a publisher had acknowledged."""

    from_: int
    to: int


@dataclass(frozen=True)
class Missed:
    """A plain subscriber is connected again, and has missed an unknown number of messages."""


@dataclass(frozen=True)
class Connected:
    """A connection is made and, unless plain, welcomed. Fields of WELCOME are 0 or empty when plain."""

    endpoint: str
    plain: bool = False
    epoch: int = 0
    next: int = 0
    accepted: int = 0
    policy: str = ""
    server: str = ""
    address: str | None = None
    """This client's address as the relay sees it, such as ``192.0.2.7:40001`` or ``unix``; ``None``: not told."""
    identity: str | None = None
    """Name of the identity that the relay took this client for, empty: none; ``None``: not told."""
    anew: bool | None = None
    """With ``start="state"``: whether what the program knows is void, and the whole state follows. Otherwise what
    follows goes on from there."""
    interval: float | None = None
    """The ``interval`` that the relay has granted, in seconds; ``None``: none, each message comes when it is there."""


@dataclass(frozen=True)
class AtPing:
    """A place in the stream at which all is known, with ``start="state"``: of each type the newest message below
    ``next`` has come, now or on an earlier connection, or none is held."""

    next: int
    """Sequence of the next message."""
    head: int
    """Newest sequence of the stream."""


@dataclass(frozen=True)
class StateComplete(AtPing):
    """The first such place of a connection: the state has come, and the stream follows from ``next`` on. ``head`` is
    ``next - 1``."""


Item = Union[Message, Gap, StreamChanged, RolledBack, Missed, Connected, AtPing]
"""What a subscriber's stream consists of, in its order. ``Connected`` and ``AtPing`` only with ``start="state"``."""


@dataclass(frozen=True)
class Lost:
    """A try failed, or a connection was lost. The next try comes in ``retry_in`` seconds."""

    endpoint: str
    error: ConnectionFailed
    retry_in: float


@dataclass(frozen=True)
class GoingAway:
    """The relay will close the connection in ``closes_in`` seconds."""

    endpoint: str
    code: int
    text: str
    closes_in: float


@dataclass(frozen=True)
class InDoubt:
    """``messages`` messages were sent over a connection that is lost, and the relay has not confirmed them: they may be
    lost. Plain: all that were sent over it."""

    messages: int


@dataclass(frozen=True)
class GaveUp:
    """The client has ended for good."""

    error: RelayError


@dataclass(frozen=True)
class Unsettled:
    """A publisher was closed while another exception was on its way, such as a cancellation, which hides what close has
    to tell: ``error.messages`` messages are not done."""

    error: NotDone


@dataclass(frozen=True)
class StateLate:
    """The state is not complete ``seconds`` after its connection was welcomed, told once for each connection: the types
    change faster than this subscriber takes them, or there is much of it."""

    endpoint: str
    seconds: float


@dataclass(frozen=True)
class Certificate:
    """This client's own certificate ends in ``days`` days, rounded up: told once for each of 30, 7 and 1 that is
    reached, and once when it has ended, which is 0 or less; before the connection is made, or once a day behind it."""

    days: int


Event = Union[
    Connected,
    Lost,
    GoingAway,
    Gap,
    StreamChanged,
    RolledBack,
    Missed,
    StateComplete,
    StateLate,
    InDoubt,
    Certificate,
    GaveUp,
    Unsettled,
]
"""What ``on_event`` gets, on the thread of the event loop, when it happens on the wire."""

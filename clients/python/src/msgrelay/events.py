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


class Message(NamedTuple):
    """A message of the stream."""

    sequence: int
    """Number in the stream, from 1; 0: not known (a plain subscriber; types without SEQUENCES)."""
    type: int
    """Signed 32 bits; Relay gives it no meaning."""
    body: bytes


@dataclass(frozen=True)
class Gap:
    """The messages ``from_`` to ``to``, both included, are missed."""

    from_: int
    to: int
    reason: int
    """``SLOW``, ``NOT_HELD``, ``DAMAGED``, or a later one. ``UNEXPLAINED``: this client found the gap."""


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


Item = Union[Message, Gap, StreamChanged, RolledBack, Missed]
"""What a subscriber's stream consists of, in its order."""


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
    InDoubt,
    Certificate,
    GaveUp,
    Unsettled,
]
"""What ``on_event`` gets, on the thread of the event loop, when it happens on the wire."""

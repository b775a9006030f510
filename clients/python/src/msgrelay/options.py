"""Options of clients. Every broken limit is a ``UsageError`` with the value and the limit."""

from __future__ import annotations

import contextlib
import os
import secrets
import ssl
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, TypeVar, Union

from . import _local, _wire
from ._certificate import end_of, no_password
from ._wire import Epochs, Range
from .errors import UsageError
from .events import Event


def _ignore(_event: Event) -> None:
    pass


def _ignore_ack(_number: int, _sequence: int) -> None:
    pass


def _call(what: str, hook: Callable[..., None], *arguments: object) -> None:
    """Calls a hook of the program; whatever it raises is an ``Exception``, but for the end of the program itself.

    Beside the main thread ``SystemExit`` would end the client's thread alone, without a word, as a cancellation would
    end its task anywhere."""
    try:
        hook(*arguments)
    except Exception:
        raise
    except BaseException as e:
        if isinstance(e, (SystemExit, KeyboardInterrupt)) and threading.current_thread() is threading.main_thread():
            raise
        raise RuntimeError(f"{what} raised {e!r}") from e


def _within(what: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise UsageError(f"{what} {value} is not within {low}..{high}")


def _above_zero(what: str, seconds: float) -> None:
    if not seconds > 0:
        raise UsageError(f"{what} of {seconds} s is not above 0")


def _one_of(what: str, value: str, known: Sequence[str]) -> int:
    if value not in known:
        raise UsageError(f"{what} {value!r} is none of {', '.join(known)}")
    return known.index(value)


def check_types(types: Sequence[Range]) -> tuple[Range, ...]:
    """Ranges of types that a subscriber may ask for."""
    if len(types) > _wire.MAX_RANGES:
        raise UsageError(f"{len(types)} ranges of types are over the limit of {_wire.MAX_RANGES}")
    for first, last in types:
        _within("type", first, _wire.LAST_RESERVED + 1, (1 << 31) - 1)
        _within("type", last, first, (1 << 31) - 1)
    return tuple((first, last) for first, last in types)


def check_epochs(epochs: Sequence[Sequence[int]], epoch: int) -> Epochs:
    """Rows of epochs that a client may have kept, as WELCOME gave them."""
    if len(epochs) > _wire.MAX_EPOCHS:
        raise UsageError(f"{len(epochs)} epochs are over the limit of {_wire.MAX_EPOCHS}")
    for row in epochs:
        if not (isinstance(row, Sequence) and len(row) == 2 and row[0] and 1 <= row[1] <= _wire.MAX_NUMBER):
            raise UsageError(f"{row!r} is no epoch with its first sequence")
    if epochs and epochs[0][0] != epoch:
        raise UsageError(f"the first of the epochs is {epochs[0][0]}, not {epoch}")
    return tuple((row[0], row[1]) for row in epochs)


@dataclass(frozen=True)
class Endpoint:
    """Where a relay listens: ``host:port``, ``[ipv6]:port`` or ``unix:path``."""

    host: str
    port: int
    path: str
    text: str

    @staticmethod
    def parse(text: str) -> Endpoint:
        if text.startswith("unix:") and len(text) > 5:
            return Endpoint("", 0, text[5:], text)
        host, colon, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            colon = ""
        if not (colon and host and port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
            raise UsageError(f"endpoint {text!r} is none of host:port, [ipv6]:port, unix:path")
        return Endpoint(host, int(port), "", text)


@dataclass(frozen=True)
class Reconnect:
    """Tries after a connection has failed or was lost. A round goes once through all endpoints. A relay that is full
    may tell a time: its endpoint is then connected again no sooner, but after the longest wait at most."""

    rounds: int | None = None
    """Rounds until the client gives up; 0: none; ``None``: no end."""
    first: float = 0.1
    """Wait before the first round, in seconds; doubled from round to round."""
    longest: float = 10.0
    """The longest wait, in seconds."""
    jitter: float = 0.5
    """The largest share that is taken off a wait at random."""

    def __post_init__(self) -> None:
        if self.rounds is not None and self.rounds < 0:
            raise UsageError(f"rounds {self.rounds} is negative")
        _above_zero("first wait", self.first)
        if self.longest < self.first:
            raise UsageError(f"longest wait of {self.longest} s is under the first of {self.first} s")
        _within("jitter", self.jitter, 0, 1)


@dataclass(frozen=True)
class Tls:
    """TLS 1.3. Files are PEM. They are read as the options are made, and again for each connection, so certificates may
    be renewed: a file that cannot be read or used is a ``UsageError`` at first, and later a lost try."""

    ca: str | os.PathLike[str] | None = None
    """Certificates that are trusted; ``None``: the system's."""
    certificate: str | os.PathLike[str] | None = None
    """This client's own certificate."""
    key: str | os.PathLike[str] | None = None
    """Its key."""
    server_name: str | None = None
    """The name that the relay's certificate must have; ``None``: the endpoint's host."""

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise UsageError("a certificate needs its key, and a key its certificate")
        self.context()

    def context(self) -> ssl.SSLContext:
        """What the files hold now.

        :raises UsageError: a file cannot be read, or has something else; key and certificate do not fit
        """
        try:
            context = ssl.create_default_context(cafile=None if self.ca is None else os.fspath(self.ca))
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key, no_password)
        except (OSError, ValueError) as e:
            raise UsageError(f"TLS files {self.ca}, {self.certificate}, {self.key}: {e}") from e
        return context

    def end(self) -> float | None:
        """When this client's certificate ends, in seconds since 1970; ``None``: it has none that can be read."""
        return None if self.certificate is None else end_of(self.certificate, self.key)


@dataclass(frozen=True)
class ConnectionOptions:
    """What both kinds of clients can choose. Times are in seconds, sizes in bytes."""

    endpoints: str | Sequence[str]
    """One or more of ``host:port``, ``[ipv6]:port``, ``unix:path``, tried in turn."""
    plain: bool = False
    """No HELLO: no numbers, no acknowledgements, nothing resumed."""
    name: str = ""
    token: str | Callable[[], str] | None = field(default=None, repr=False)
    """The secret that proves this client's identity. Without TLS it goes to this host only.

    A function is asked for each connection. It runs on a thread of its own, and may take ``connect_timeout``. If it
    raises, takes longer or returns no token, the try is lost; the first time the client gives up with a
    ``UsageError``."""
    token_file: str | os.PathLike[str] | None = None
    """File with the token, which a line end may follow; read as the files of ``Tls`` are."""
    heartbeat: float | None = None
    """Interval of the relay's PINGs; ``None``: the relay's own."""
    connect_timeout: float = 5.0
    handshake_timeout: float = 5.0
    """Time from HELLO to WELCOME."""
    max_body: int = 1 << 20
    reconnect: Reconnect = field(default_factory=Reconnect)
    tls: Tls | None = None
    on_event: Callable[[Event], None] = _ignore
    """Gets each event on the thread of the event loop, for which it must not wait. Its exception ends the client.

    Without it, the logger ``msgrelay`` has a warning of the first failure, and one of the first success behind it."""

    def parsed_endpoints(self) -> list[Endpoint]:
        given = [self.endpoints] if isinstance(self.endpoints, str) else list(self.endpoints)
        if not given:
            raise UsageError("no endpoint")
        return [Endpoint.parse(one) for one in given]

    @property
    def heartbeat_ms(self) -> int:
        return 0 if self.heartbeat is None else round(self.heartbeat * 1000)

    def check(self) -> None:
        endpoints = self.parsed_endpoints()
        if self.tls is not None and any(e.path for e in endpoints):
            raise UsageError("TLS does not go with a Unix socket")
        if self.token is not None and self.token_file is not None:
            raise UsageError("both a token and a file for it")
        has_token = self.token is not None or self.token_file is not None
        if self.plain and (self.name or has_token or self.heartbeat is not None):
            raise UsageError("the plain mode knows no name, token or heartbeat")
        _check_string("name", self.name, 0)
        if not callable(self.token):
            self.checked_token(self.token)
        if self.heartbeat is not None:
            _within("heartbeat in seconds", self.heartbeat, 0.1, 3600)
        _above_zero("connect time-out", self.connect_timeout)
        _above_zero("handshake time-out", self.handshake_timeout)
        _within("max body", self.max_body, 0, _wire.MAX_BODY)

    def emit(self, event: Event) -> None:
        """Gives an event to the program."""
        _call("on_event", self.on_event, event)

    @property
    def is_heard(self) -> bool:
        """Whether the program takes the events."""
        return self.on_event is not _ignore

    @property
    def token_may_change(self) -> bool:
        """Whether a token that the relay does not know now may be another one at the next try."""
        return callable(self.token) or self.token_file is not None

    def checked_token(self, given: object) -> str | None:
        """The token for the next connection: the one given, or what its file holds now.

        :raises UsageError: it cannot be read, or is none
        """
        if self.token_file is not None:
            given = _kept_token(self.token_file)
        elif given is None and self.token is None:
            return None
        if not isinstance(given, str):
            raise UsageError(f"token is no string, but {type(given).__name__}")
        _check_string("token", given, 1)
        return given


def _kept_token(path: str | os.PathLike[str]) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(4 * _wire.MAX_NAME)
    except OSError as e:
        raise UsageError(f"token in {path}: {e}") from e
    try:
        return content.rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        # Its text has the bytes.
        raise UsageError(f"token in {path}: not UTF-8") from None


def _check_string(what: str, text: str, least: int) -> None:
    try:
        length = len(text.encode())
    except UnicodeEncodeError:
        raise UsageError(f"{what} is no valid Unicode") from None
    if not least <= length <= _wire.MAX_NAME:
        raise UsageError(f"{what} of {length} bytes is not within {least}..{_wire.MAX_NAME} bytes")
    if _wire.control_character(text) is not None:
        raise UsageError(f"{what} holds a control character")


@dataclass(frozen=True)
class FromSequence:
    """A start at a sequence, such as ``next``, ``epoch`` and ``epochs`` of a subscriber in an earlier process."""

    sequence: int
    epoch: int = 0
    """Epoch of the sequence; 0: the present one."""
    epochs: Sequence[Sequence[int]] = ()
    """The subscriber's ``epochs``: what it has in common with a relay that an older backup was put back to."""


@dataclass(frozen=True)
class FromTime:
    """A start at a time that the relay's journal reaches back to."""

    ms: int
    """Milliseconds since 1970."""


@dataclass(frozen=True)
class FromState:
    """The state behind a place that the program has kept with what it knew there, such as ``next`` and ``epoch`` of a
    ``StateView`` in an earlier process: only what has changed since then comes."""

    sequence: int
    """The first sequence that is not known; 0 or 1: all of it, as ``"state"``."""
    epoch: int = 0
    """Epoch of the sequence; 0: the present one."""


Start = Union[str, FromSequence, FromTime, FromState]


@dataclass(frozen=True)
class SubscriberOptions(ConnectionOptions):
    types: Sequence[Range] = ()
    """Ranges of types wanted, both ends included; empty: every type."""
    start: Start = "live"
    """``"live"``, ``"earliest"``, ``"state"``, a ``FromSequence``, a ``FromTime`` or a ``FromState``.

    State: of each type the newest message first, in the order of the stream, and then the stream itself. ``StateView``
    takes the items. The relay must have been started with ``--state``."""
    policy: str = "default"
    """What happens when this subscriber is slow: default, disconnect, backpressure, skip, replay, latest."""
    interval: float | None = None
    """Seconds, 0.01 to 3600, from one sending to the next: each has of every type that has changed the newest message,
    and ``Gap`` with ``SUPERSEDED`` for those that were passed over. The first one comes at once. ``None``: each message
    comes when it is there.

    An interval asks for the policy latest, and goes with no other one. The relay must have been started with
    ``--state``. It may grant a longer interval, and an older relay grants none: ``Connected`` tells."""
    level: str = "stream"
    """Only messages that have reached this level: stream, written, forced."""
    buffer: int = 256 << 10
    """Bytes of items, 64 for each beside its frame, that wait for the user before nothing more is read."""

    def __post_init__(self) -> None:
        self.check()
        check_types(self.types)
        _one_of("policy", self.policy, _wire.POLICIES)
        _one_of("level", self.level, _wire.LEVEL_NAMES)
        _within("buffer", self.buffer, 1, 1 << 30)
        if isinstance(self.start, str):
            _one_of("start", self.start, ("live", "earliest", "state"))
        elif isinstance(self.start, FromState):
            _within("sequence", self.start.sequence, 0, _wire.MAX_NUMBER)
            _within("epoch", self.start.epoch, -_wire.MAX_NUMBER - 1, _wire.MAX_NUMBER)
        elif isinstance(self.start, FromSequence):
            _within("sequence", self.start.sequence, 1, _wire.MAX_NUMBER)
            _within("epoch", self.start.epoch, -_wire.MAX_NUMBER - 1, _wire.MAX_NUMBER)
            check_epochs(self.start.epochs, self.start.epoch)
        else:
            _within("time in ms", self.start.ms, 1, _wire.MAX_NUMBER)
        if self.interval is not None:
            self._check_interval(self.interval)
        if self.plain and (
            self.types or self.start != "live" or self.asked_policy != "default" or self.level != "stream"
        ):
            raise UsageError("the plain mode knows no types, start, policy, interval or level")

    def _check_interval(self, seconds: float) -> None:
        _within("interval in seconds", seconds, _wire.MIN_INTERVAL / 1000, _wire.MAX_INTERVAL / 1000)
        if self.policy not in ("default", "latest"):
            raise UsageError(f"an interval of {seconds} s needs the policy latest, not {self.policy}")

    @property
    def asked_policy(self) -> str:
        return self.policy if self.interval is None else "latest"

    @property
    def wants_state(self) -> bool:
        return self.start == "state" or isinstance(self.start, FromState)

    def hello(self, types: Sequence[Range], epoch: int, following: int, token: str | None) -> bytes:
        """HELLO; ``following`` is the sequence to go on with, 0: the start of the options."""
        start, number = _wire.LIVE, following
        if self.wants_state:
            start = _wire.STATE
        elif following:
            start = _wire.FROM_SEQUENCE
        elif isinstance(self.start, FromTime):
            start, number = _wire.FROM_TIME, self.start.ms
        elif self.start == "earliest":
            start = _wire.EARLIEST
        asked = _wire.SEQUENCES | _wire.NARROWED | _wire.EPOCHS
        if self.interval is not None:
            asked |= _wire.INTERVAL
        return _wire.hello(
            _wire.SUBSCRIBER,
            policy=_wire.POLICIES.index(self.asked_policy),
            start=start,
            features=asked | features(self.level, token),
            heartbeat_ms=self.heartbeat_ms,
            epoch=epoch,
            number=number,
            ranges=types,
            client=self.name.encode(),
            token=(token or "").encode(),
            level=_wire.LEVEL_NAMES.index(self.level),
            interval_ms=round((self.interval or 0) * 1000),
        )


@dataclass(frozen=True)
class PublisherOptions(ConnectionOptions):
    acks: bool = False
    """Messages are numbered under ``name``, kept until they are acknowledged, and sent again after a cut."""
    level: str = "stream"
    """The level at which a message counts as acknowledged: stream, written, forced."""
    producer: bytes | None = field(default=None, repr=False)
    """The 16 random bytes by which the relay recognises this publisher; ``None``: drawn anew."""
    producer_file: str | os.PathLike[str] | None = None
    """File that keeps them, as 32 hex digits; made if it is not there."""
    first_number: int = 0
    """Number of the first message; 0: the relay's accepted + 1."""
    epoch: int = 0
    """Epoch of ``first_number``; 0: any."""
    epochs: Sequence[Sequence[int]] = ()
    """The publisher's ``epochs``, kept with ``epoch``."""
    buffer: int = 0
    """Bytes of messages that are not settled yet, headers included; 0: 1 MiB + 8, or one frame of ``max_body``. At
    this bound the user waits."""
    close_timeout: float = 5.0
    """Longest time in which close waits for messages to be done: acknowledged, or without ACKS confirmed."""
    on_ack: Callable[[int, int], None] = _ignore_ack
    """Gets a number and its sequence (0: not known): this message and all before it are acknowledged."""
    local_congestion: str = _local.AUTO
    """Congestion control of a connection to this host, on Linux. ``"auto"``: cubic, or else reno, since bbr, the
    default of many hosts, halves what a loopback carries; ``"system"``: the system's; or the name of one, which is a
    ``UsageError`` if the system does not give it. A connection to this host is one to a loopback address, or to the
    address that it comes from. Other connections and systems are left alone."""
    producer_id: bytes = field(init=False, repr=False, compare=False, default=b"")

    def tell_ack(self, number: int, sequence: int) -> None:
        """Gives an acknowledgement to the program."""
        _call("on_ack", self.on_ack, number, sequence)

    def __post_init__(self) -> None:
        self.check()
        _one_of("level", self.level, _wire.LEVEL_NAMES)
        _within("first number", self.first_number, 0, _wire.MAX_NUMBER)
        _within("epoch", self.epoch, -_wire.MAX_NUMBER - 1, _wire.MAX_NUMBER)
        check_epochs(self.epochs, self.epoch)
        _above_zero("close time-out", self.close_timeout)
        _local.check_congestion(self.local_congestion)
        if self.buffer == 0:
            object.__setattr__(self, "buffer", max(1 << 20, self.max_body) + _wire.HEADER.size)
        _within("buffer", self.buffer, self.max_body + _wire.HEADER.size, 1 << 30)
        chosen = self.producer is not None or self.producer_file is not None or self.first_number or self.epoch
        if not self.acks:
            if chosen or self.level != "stream":
                raise UsageError("producer id, first number, epoch and level need ACKS")
            return
        if self.plain:
            raise UsageError("the plain mode knows no ACKS")
        if not self.name:
            raise UsageError("ACKS need a name")
        if self.producer is not None and self.producer_file is not None:
            raise UsageError("both a producer id and a file for it")
        if self.producer_file is not None:
            producer = _kept_id(Path(self.producer_file))
        else:
            producer = secrets.token_bytes(16) if self.producer is None else bytes(self.producer)
        if len(producer) != 16 or not any(producer):
            raise UsageError(f"a producer id of {len(producer)} bytes; it has 16, not all of them 0")
        object.__setattr__(self, "producer_id", producer)

    def hello(self, epoch: int, number: int, token: str | None) -> bytes:
        """HELLO; ``number`` is that of the first message over this connection."""
        return _wire.hello(
            _wire.PUBLISHER,
            features=(_wire.ACKS | _wire.EPOCHS if self.acks else 0) | features(self.level, token),
            heartbeat_ms=self.heartbeat_ms,
            epoch=epoch,
            number=number,
            client=self.name.encode(),
            producer=self.producer_id,
            token=(token or "").encode(),
            level=_wire.LEVEL_NAMES.index(self.level),
        )


_Options = TypeVar("_Options", bound=ConnectionOptions)


def chosen(options: _Options | str | Sequence[str], kind: type[_Options]) -> _Options:
    """The options of a client, which may be endpoints alone."""
    if isinstance(options, (str, list, tuple)):
        return kind(options)
    if not isinstance(options, kind):
        raise UsageError(f"wanted are {kind.__name__}, or endpoints, not {type(options).__name__}")
    return options


def features(level: str, token: str | None) -> int:
    """Features that both roles ask for."""
    return _wire.PEER | (_wire.LEVELS if level != "stream" else 0) | (_wire.TOKEN if token is not None else 0)


def _kept_id(path: Path) -> bytes:
    """The id in the file, which is written first if it is not there: whole or not at all."""
    try:
        if not path.exists():
            # mkstemp gives mode 0600; link fails where another process was faster, and its id counts.
            handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
            try:
                with os.fdopen(handle, "w", encoding="ascii") as out:
                    out.write(secrets.token_hex(16) + "\n")
                    out.flush()
                    os.fsync(out.fileno())
                with contextlib.suppress(FileExistsError):
                    os.link(draft, path)
            finally:
                os.unlink(draft)
        with open(path, "rb") as kept:
            content = kept.read(64)
    except OSError as e:
        raise UsageError(f"producer id in {path}: {e}") from e
    digits = content.rstrip(b"\r\n")
    if len(digits) != 32 or any(c not in b"0123456789abcdefABCDEF" for c in digits):
        raise UsageError(f"producer id in {path}: not 32 hex digits")
    return bytes.fromhex(digits.decode("ascii"))

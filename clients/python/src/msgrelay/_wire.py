"""Bytes of frames: docs/protocol.md. No state, no input or output."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from . import errors
from .errors import broken_rule

Range = tuple[int, int]
Epochs = tuple[tuple[int, int], ...]
Body = Union[bytes, bytearray, memoryview]

HEADER = struct.Struct(">ii")

# Types of control frames, as the signed numbers that HEADER gives.
LOWEST = -(1 << 31)
HELLO, WELCOME, SUBSCRIBE, PING, PONG, SEQUENCE, GAP, ACK, ERROR, GOAWAY, SUBSCRIBED = range(LOWEST + 1, LOWEST + 12)
RETRY_AFTER = LOWEST + 12
LAST_RESERVED = LOWEST + 0xFF
MUST_UNDERSTAND = LOWEST + 0x80
NAMES = "HELLO WELCOME SUBSCRIBE PING PONG SEQUENCE GAP ACK ERROR GOAWAY SUBSCRIBED RETRY_AFTER".split()

MAX_CONTROL = 16_384
MAX_BODY = 64 << 20
MAX_RANGES = 1_024
MAX_NAME = 255
MAX_TEXT = 512
MAX_RETRY_AFTER = 3_600_000
MAX_NUMBER = (1 << 63) - 1
MAX_EPOCHS = 16
MIN_INTERVAL, MAX_INTERVAL = 10, 3_600_000

SUBSCRIBER, PUBLISHER = 1, 2
ACKS, SEQUENCES, NARROWED, INTERVAL, PEER, LEVELS, EPOCHS, TOKEN = 1, 2, 4, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 16
POLICIES = ("default", "disconnect", "backpressure", "skip", "replay", "latest")
LEVEL_NAMES = ("stream", "written", "forced")
LIVE, FROM_SEQUENCE, EARLIEST, FROM_TIME, STATE = range(5)

_HELLO = struct.Struct(">HHBBBxIiqqH6x")
_WELCOME = struct.Struct(">HBBIqqqiiiHH")
_GAP = struct.Struct(">qqHHI")
_PING = struct.Struct(">qqq")
_Q = struct.Struct(">q")
_EPOCH = struct.Struct(">qq")


def name(type_: int) -> str:
    at = type_ - LOWEST
    known = NAMES[at - 1] if 1 <= at <= len(NAMES) else "control frame"
    return f"{known} (0x{type_ & 0xFFFFFFFF:08X})"


def frame(type_: int, body: bytes) -> bytes:
    return HEADER.pack(type_, len(body)) + body


def _string(text: bytes) -> bytes:
    return struct.pack(">H", len(text)) + text


def _ranges(ranges: Sequence[Range]) -> bytes:
    return b"".join(HEADER.pack(*r) for r in ranges)


def hello(
    role: int,
    *,
    policy: int = 0,
    start: int = LIVE,
    features: int = 0,
    heartbeat_ms: int = 0,
    epoch: int = 0,
    number: int = 0,
    ranges: Sequence[Range] = (),
    client: bytes = b"",
    producer: bytes = b"",
    token: bytes = b"",
    level: int = 0,
    interval_ms: int = 0,
) -> bytes:
    body = _HELLO.pack(1, 1, role, policy, start, features, heartbeat_ms, epoch, number, len(ranges))
    body += _ranges(ranges) + _string(client)
    if producer or features & (TOKEN | LEVELS | INTERVAL):
        body += producer or bytes(16)
    if features & TOKEN:
        body += _string(token)
    if features & LEVELS:
        body += bytes((level,))
    if features & INTERVAL:
        body += struct.pack(">I", interval_ms)
    return frame(HELLO, body)


def subscribe(request: int, ranges: Sequence[Range]) -> bytes:
    return frame(SUBSCRIBE, struct.pack(">iHxx", request, len(ranges)) + _ranges(ranges))


def ping(id_: int) -> bytes:
    """A PING of a client, which says nothing about the stream."""
    return frame(PING, _PING.pack(id_, 0, 0))


def pong(id_: int) -> bytes:
    return frame(PONG, _Q.pack(id_))


def error(code: int, text: str) -> bytes:
    # A cut within a character would not be UTF-8.
    return frame(ERROR, struct.pack(">H", code) + text.encode()[:MAX_TEXT].decode(errors="ignore").encode())


def _malformed(type_: int, text: str) -> Exception:
    return broken_rule(errors.MALFORMED_CONTROL, f"{name(type_)}: {text}")


def _fields(type_: int, body: bytes, size: int) -> None:
    if len(body) < size:
        raise _malformed(type_, f"body of {len(body)} bytes is shorter than its fields of {size}")


def _within(type_: int, field: str, value: int, low: int, high: int = MAX_NUMBER) -> None:
    if not low <= value <= high:
        raise _malformed(type_, f"{field} {value} is not within {low}..{high}")


def _reserved(type_: int, *values: int) -> None:
    for value in values:
        if value != 0:
            raise _malformed(type_, f"reserved field is {value}, not 0")


def control_character(text: str) -> str | None:
    """The first control character of a text."""
    return next((c for c in text if c < " " or "\x7f" <= c <= "\x9f"), None)


@dataclass(frozen=True)
class Welcome:
    version: int
    policy: str
    epoch_changed: bool
    rolled_back: bool
    features: int
    epoch: int
    next: int
    accepted: int
    max_body: int
    heartbeat_ms: int
    idle_ms: int
    most_ranges: int
    server: str
    fork: int
    epochs: Epochs
    """The newest lives of the stream, the newest first: epoch, and the first sequence that it could give."""
    interval_ms: int | None
    """How often messages come; ``None`` without INTERVAL."""
    address: str | None
    """This client's address as the relay sees it; ``None`` without PEER."""
    identity: str | None
    """Name of the identity that the relay took this client for, empty: none; ``None`` without PEER."""


def decode_welcome(body: bytes) -> Welcome:
    _fields(WELCOME, body, _WELCOME.size + 2)
    version, policy, flags, features, epoch, following, accepted, max_body, heartbeat, idle, ranges, reserved = (
        _WELCOME.unpack_from(body)
    )
    _within(WELCOME, "version", version, 1)
    _within(WELCOME, "policy", policy, 0, len(POLICIES) - 1)
    if epoch == 0:
        raise _malformed(WELCOME, "epoch is 0, which stands for none")
    _within(WELCOME, "next", following, 1)
    _within(WELCOME, "accepted", accepted, 0)
    _within(WELCOME, "longest body", max_body, 1, MAX_BODY)
    _within(WELCOME, "heartbeat in ms", heartbeat, 100, 3_600_000)
    _within(WELCOME, "idle timeout in ms", idle, heartbeat)
    _reserved(WELCOME, reserved)
    server, end = _text(body, _WELCOME.size, "server")
    rolled_back = bool(flags & 1 and flags & 2)
    fork = 0
    # Fork is there before every field that was appended later.
    if len(body) > end or features & (EPOCHS | INTERVAL | PEER):
        _holds(body, end + 8, "fork")
        (fork,) = _Q.unpack_from(body, end)
        end += 8
    if rolled_back:
        _within(WELCOME, "fork, needed for ROLLED_BACK,", fork, 1)
    elif fork != 0:
        raise _malformed(WELCOME, f"fork {fork} is not 0 without ROLLED_BACK")
    epochs: Epochs = ()
    if features & EPOCHS:
        epochs, end = _epochs(body, end)
    interval_ms: int | None = None
    if features & INTERVAL:
        _holds(body, end + 4, "interval")
        (interval_ms,) = struct.unpack_from(">I", body, end)
        _within(WELCOME, "interval in ms", interval_ms, MIN_INTERVAL, MAX_INTERVAL)
        end += 4
    address = identity = None
    if features & PEER:
        address, end = _text(body, end, "address")
        identity, end = _text(body, end, "identity")
    return Welcome(
        version,
        POLICIES[policy],
        bool(flags & 1),
        rolled_back,
        features,
        epoch,
        following,
        accepted,
        max_body,
        heartbeat,
        idle,
        ranges,
        server,
        fork,
        epochs,
        interval_ms,
        address,
        identity,
    )


def _holds(body: bytes, end: int, field: str) -> None:
    if end > len(body):
        raise _malformed(WELCOME, f"body of {len(body)} bytes ends within {field}, which needs {end}")


def _text(body: bytes, at: int, field: str) -> tuple[str, int]:
    """A string of WELCOME, and where it ends."""
    start = at + 2
    _holds(body, start, field)
    length = body[at] << 8 | body[at + 1]
    _within(WELCOME, f"length of {field}", length, 0, MAX_NAME)
    end = start + length
    _holds(body, end, field)
    try:
        text = body[start:end].decode()
    except UnicodeDecodeError:
        raise _malformed(WELCOME, f"{field} is not UTF-8") from None
    if control_character(text) is not None:
        raise _malformed(WELCOME, f"{field} holds a control character")
    return text, end


def _epochs(body: bytes, at: int) -> tuple[Epochs, int]:
    """The rows, and where they end."""
    start = at + 4
    _holds(body, start, "the count of epochs")
    count, reserved = struct.unpack_from(">HH", body, at)
    _within(WELCOME, "count of epochs", count, 0, MAX_EPOCHS)
    _reserved(WELCOME, reserved)
    end = start + count * _EPOCH.size
    _holds(body, end, "the epochs")
    rows = tuple(_EPOCH.iter_unpack(body[start:end]))
    for epoch, first in rows:
        if epoch == 0:
            raise _malformed(WELCOME, "epoch of a row is 0, which stands for none")
        _within(WELCOME, "first sequence of an epoch", first, 1)
    return rows, end


def decode_ping(body: bytes) -> tuple[int, int, int]:
    """Id, next and head."""
    _fields(PING, body, 24)
    id_, following, head = _PING.unpack_from(body)
    _within(PING, "next", following, 0)
    _within(PING, "head", head, 0)
    return id_, following, head


def decode_pong(body: bytes) -> int:
    """Id."""
    _fields(PONG, body, 8)
    id_: int = _Q.unpack_from(body)[0]
    return id_


def decode_sequence(body: bytes) -> int:
    _fields(SEQUENCE, body, 8)
    following: int = _Q.unpack_from(body)[0]
    _within(SEQUENCE, "next", following, 1)
    return following


def decode_gap(body: bytes) -> tuple[int, int, int]:
    """From, to and reason."""
    _fields(GAP, body, 24)
    first, last, reason, *reserved = _GAP.unpack_from(body)
    _within(GAP, "from", first, 1)
    _within(GAP, "to", last, first)
    _within(GAP, "reason", reason, 1)
    _reserved(GAP, *reserved)
    return first, last, reason


def decode_ack(body: bytes) -> tuple[int, int, int, int]:
    """Number, sequence, written and forced."""
    _fields(ACK, body, 16)
    number, sequence = struct.unpack_from(">qq", body)
    _within(ACK, "number", number, 1)
    _within(ACK, "sequence", sequence, 1)
    if len(body) == 16:
        return number, sequence, 0, 0
    if len(body) < 32:
        raise _malformed(ACK, f"body of {len(body)} bytes ends within written and forced, which needs 32")
    written, forced = struct.unpack_from(">qq", body, 16)
    _within(ACK, "written", written, 0, number)
    _within(ACK, "forced", forced, 0, written)
    return number, sequence, written, forced


def decode_error(body: bytes) -> tuple[int, str]:
    """Code and text."""
    _fields(ERROR, body, 2)
    code = body[0] << 8 | body[1]
    _within(ERROR, "code", code, 1)
    return code, body[2:].decode(errors="replace")


def decode_goaway(body: bytes) -> tuple[int, int, str]:
    """Code, milliseconds until the end, and text."""
    _fields(GOAWAY, body, 8)
    code, reserved, closes_in = struct.unpack_from(">HHi", body)
    _within(GOAWAY, "code", code, 1)
    _reserved(GOAWAY, reserved)
    _within(GOAWAY, "time to close in ms", closes_in, 0)
    _within(GOAWAY, "length of text", len(body) - 8, 0, MAX_TEXT)
    return code, closes_in, body[8:].decode(errors="replace")


def decode_retry_after(body: bytes) -> int:
    """Milliseconds."""
    _fields(RETRY_AFTER, body, 4)
    wait: int = struct.unpack_from(">i", body)[0]
    _within(RETRY_AFTER, "wait", wait, 0, MAX_RETRY_AFTER)
    return wait


def decode_subscribed(body: bytes) -> tuple[int, int]:
    """Request and sequence."""
    _fields(SUBSCRIBED, body, 16)
    request, reserved, sequence = struct.unpack_from(">iiq", body)
    _reserved(SUBSCRIBED, reserved)
    _within(SUBSCRIBED, "sequence", sequence, 1)
    return request, sequence

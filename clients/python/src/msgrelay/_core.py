"""Sans-I/O core of both clients: bytes of a connection in, items, answers and errors out.

One object lives as long as its client, over all connections. It knows no socket, no clock and no thread; its owner
calls it from one thread.
"""

from __future__ import annotations

import secrets
import struct
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable, Protocol

from . import _wire, errors
from ._wire import Body, Epochs, Range, Welcome
from .errors import Advice, AskAgain, ConnectionFailed, NotDone, RelayError, UsageError, broken_rule, from_relay
from .events import (
    SUPERSEDED,
    UNEXPLAINED,
    AtPing,
    Connected,
    Event,
    Gap,
    GoingAway,
    InDoubt,
    Item,
    Message,
    Missed,
    RolledBack,
    StateComplete,
    StreamChanged,
)
from .options import FromSequence, FromState, PublisherOptions, SubscriberOptions, check_epochs, check_types

# No stream gets to this number, and a number behind it would soon be negative.
FARTHEST = 1 << 62
# Bytes that an item counts beside its frame.
ITEM_SIZE = 64
# Changes of types that wait for their answer.
MOST_CHANGES = 64
# Bytes of messages behind a PING after which the next one is sent.
BYTES_A_PING = 1 << 20

_unpack_header = _wire.HEADER.unpack_from
_new = tuple.__new__


def _unexpected(type_: int, when: str) -> ConnectionFailed:
    return broken_rule(errors.PROTOCOL_ORDER, f"{_wire.name(type_)} from the relay {when}")


class Handler(Protocol):
    """What differs between subscriber and publisher. An exception ends the connection."""

    def on_welcome(self, welcome: Welcome) -> None: ...

    def on_ping(self, following: int, head: int) -> None: ...

    def on_pong(self, id_: int) -> None: ...

    def on_goaway(self) -> None: ...

    def on_control(self, type_: int, body: bytes) -> None: ...


class Link:
    """One connection's input: frames, WELCOME before all else, PING and its answer."""

    def __init__(self, endpoint: str, handler: Handler, emit: Callable[[Event], None], *, plain: bool, max_body: int):
        self.endpoint = endpoint
        self.plain = plain
        self.open = plain
        self.progressed = False
        self.going_away = 0
        """Code of GOAWAY; 0: none has come."""
        self.retry_after: int | None = None
        """Milliseconds of RETRY_AFTER; ``None``: none has come."""
        self.items: list[Item] = []
        # What HELLO asks for and relays of before do not know.
        self.asks_for = ""
        # Number of the next message, and what a message adds to it: 0 while single messages have no numbers.
        self.next = 0
        self.step = 0
        self._handler = handler
        self._emit = emit
        self._max_body = max_body
        self._rest = bytearray()
        self._needed = _wire.HEADER.size
        self._pong: int | None = None
        self.message_bytes = 0
        self.take: Callable[[Message], None] = _discard

    @property
    def is_within_frame(self) -> bool:
        return bool(self._rest)

    def output(self) -> bytes:
        """The answer to what was received. Of several PINGs the last is answered."""
        id_, self._pong = self._pong, None
        return b"" if id_ is None else _wire.pong(id_)

    def receive(self, data: bytes) -> None:
        """Takes bytes as they come; raises ConnectionFailed at the connection's last frame or at a broken rule."""
        rest = self._rest
        if rest:
            rest += data
            if len(rest) < self._needed:
                return
            data = bytes(rest)
            rest.clear()
        at = self._frames(data)
        if at < len(data):
            self._rest += data[at:] if at else data

    def _frames(self, data: bytes) -> int:
        """Takes the whole frames, and returns where they end."""
        at, end = 0, len(data)
        # Control frames and their lengths do not count as message bytes.
        controls = 0
        max_body = self._max_body
        take, following, step = self.take, self.next, self.step
        try:
            while end - at >= 8:
                type_, length = _unpack_header(data, at)
                start = at + 8
                stop = start + length
                if type_ > -2147483393:
                    if not 0 <= length <= max_body:
                        raise self._bad_length(type_, length)
                    if stop > end:
                        self._needed = stop - at
                        return at
                    take(_new(Message, (following, type_, data[start:stop])))
                    following += step
                    at = stop
                    continue
                if not 0 <= length <= _wire.MAX_CONTROL:
                    raise self._bad_length(type_, length)
                if stop > end:
                    self._needed = stop - at
                    return at
                controls += stop - at
                at = stop
                self.next = following
                self._control(type_, data[start:stop])
                if take is not self.take:
                    # Messages before WELCOME do not count either.
                    controls = at
                take, following, step = self.take, self.next, self.step
            self._needed = 8
            return at
        finally:
            self.next = following
            if take is not _discard:
                self.message_bytes += at - controls

    def _bad_length(self, type_: int, length: int) -> ConnectionFailed:
        if length < 0:
            return broken_rule(errors.NEGATIVE_LENGTH, f"a frame announces a body of {length} bytes")
        limit = _wire.MAX_CONTROL if type_ <= _wire.LAST_RESERVED else self._max_body
        what = _wire.name(type_) if type_ <= _wire.LAST_RESERVED else f"a message of type {type_}"
        return broken_rule(errors.OVERSIZED_LENGTH, f"{what} announces {length} bytes, the limit is {limit}")

    def _control(self, type_: int, body: bytes) -> None:
        if type_ == _wire.ERROR:
            code, text = _wire.decode_error(body)
            if code == errors.MALFORMED_CONTROL and self.asks_for and not self.open:
                words = f"this relay is older than {self.asks_for}: {from_relay(code, text)}"
                raise ConnectionFailed(words, Advice.STOP, code)
            raise from_relay(code, text)
        if type_ == _wire.RETRY_AFTER:
            self.retry_after = _wire.decode_retry_after(body)
            return
        if type_ >= _wire.MUST_UNDERSTAND:
            raise broken_rule(errors.UNSUPPORTED, f"{_wire.name(type_)} is not known here")
        if self.plain or not _wire.HELLO <= type_ <= _wire.SUBSCRIBED:
            return
        if type_ in (_wire.HELLO, _wire.SUBSCRIBE):
            raise _unexpected(type_, "is for clients to send")
        if type_ == _wire.WELCOME:
            if self.open:
                raise _unexpected(type_, "for the second time")
            welcome = _wire.decode_welcome(body)
            if welcome.version != 1:
                raise broken_rule(errors.UNSUPPORTED, f"WELCOME chooses version {welcome.version}, only 1 was offered")
            self._handler.on_welcome(welcome)
            self.open = True
            return
        if not self.open:
            raise _unexpected(type_, "before WELCOME")
        if type_ == _wire.PING:
            id_, following, head = _wire.decode_ping(body)
            self.progressed = True
            self._handler.on_ping(following, head)
            self._pong = id_
        elif type_ == _wire.PONG:
            self._handler.on_pong(_wire.decode_pong(body))
        elif type_ == _wire.GOAWAY:
            code, closes_in, text = _wire.decode_goaway(body)
            self.going_away = code
            self._handler.on_goaway()
            self._emit(GoingAway(self.endpoint, code, errors.printable(text), closes_in / 1000))
        else:
            self._handler.on_control(type_, body)


def _discard(_message: Message) -> None:
    pass


def _refuse(message: Message) -> None:
    raise broken_rule(errors.PROTOCOL_ORDER, f"a message of type {message.type} from the relay on the publish port")


def epochs_from(epoch: int, epochs: Epochs) -> Epochs:
    """The rows from this epoch on."""
    return next((epochs[i:] for i, row in enumerate(epochs) if row[0] == epoch), ())


def older_epoch(mine: Epochs, welcome: Welcome) -> tuple[int, int, Epochs] | None:
    """Where another stream has an epoch in common with the client's, of which it does not know the newest: this epoch,
    the first sequence that need not be the same in both, and the client's rows that are left."""
    if not welcome.epoch_changed or welcome.rolled_back:
        return None
    changed = _wire.MAX_NUMBER
    for i in range(1, len(mine)):
        changed = min(changed, mine[i - 1][1])
        there = changed
        for epoch, first in welcome.epochs:
            if epoch == mine[i][0]:
                return epoch, there, mine[i:]
            there = min(there, first)
    return None


def _connected(endpoint: str, welcome: Welcome, anew: bool | None = None) -> Connected:
    return Connected(
        endpoint,
        False,
        welcome.epoch,
        welcome.next,
        welcome.accepted,
        welcome.policy,
        welcome.server,
        welcome.address,
        welcome.identity,
        anew,
        None if welcome.interval_ms is None else welcome.interval_ms / 1000,
    )


def covers(types: Sequence[Range], others: Sequence[Range]) -> bool:
    """Whether the first ranges have every type of the others; no range: every type."""
    every = ((_wire.LAST_RESERVED + 1, (1 << 31) - 1),)
    united: list[Range] = []
    for first, last in sorted(types or every):
        if united and first <= united[-1][1] + 1:
            united[-1] = united[-1][0], max(last, united[-1][1])
        else:
            united.append((first, last))
    return all(any(low <= first and last <= high for low, high in united) for first, last in others or every)


@dataclass
class Batch:
    """Items of one read, the bytes of the messages among them, and the place in the stream before and behind them."""

    items: list[Item]
    bytes: int
    epoch: int
    start: int
    next: int

    @property
    def size(self) -> int:
        """What counts against the buffer. A gap has no body, and yet takes memory."""
        return self.bytes + ITEM_SIZE * len(self.items)


@dataclass
class _Change:
    request: int
    types: tuple[Range, ...]
    done: Callable[[int | RelayError], None]


class SubscriberCore:
    """Numbers, gaps, types. The number of the next message outlives the connection: the stream is resumed there.

    The first jump of the numbers that no frame explains ends the connection, and the stream is resumed at the first
    number in doubt. If the same jump comes again, it is reported as a gap.
    """

    def __init__(self, options: SubscriberOptions) -> None:
        self._options = options
        start = options.start
        self.epoch = start.epoch if isinstance(start, (FromSequence, FromState)) else 0
        self.next = start.sequence if isinstance(start, (FromSequence, FromState)) else 0
        # Those of the last WELCOME that this client went on with.
        self.epochs: Epochs = check_epochs(start.epochs, self.epoch) if isinstance(start, FromSequence) else ()
        self.head = 0
        self._may_resume = options.reconnect.rounds != 0
        self._doubted = 0
        self._filtered = False
        self._numbered = True
        self._narrowed = False
        self._most_ranges = _wire.MAX_RANGES
        self._was_plainly_connected = False
        self._wants_state = options.wants_state
        # A change has added types, whose state comes with the next HELLO that asks for the whole one.
        self._widened = False
        self._asked_for_all = False
        # Messages were passed over for newer ones, which have not all come; and these may be gone, so that the next
        # HELLO asks for the whole state.
        self._passed_over = False
        self._needs_whole = False
        self.awaits_state = False
        """The connection was welcomed, and the state is not complete."""
        self._holding = check_types(options.types)
        self._greeted_with: tuple[Range, ...] = ()
        self._sent: deque[_Change] = deque()
        self._waiting: deque[_Change] = deque()
        self._requests = 0
        self._ended: RelayError | None = None
        self._emit = options.emit
        self._start_of_batch = self.next
        self.idle_timeout = 0.0
        self.heartbeat = 0.0

    def connect(self, endpoint: str, token: str | None = None) -> tuple[Link, bytes]:
        """Begins a connection: its input, and the bytes to send first."""
        plain = self._options.plain
        self.link = Link(endpoint, self, self._emit, plain=plain, max_body=self._options.max_body)
        if plain:
            self.link.take = self.link.items.append
            self._emit(Connected(endpoint, plain=True))
            if self._was_plainly_connected:
                self._item(Missed())
            self._was_plainly_connected = True
            return self.link, b""
        self._sent.extend(self._waiting)
        self._waiting.clear()
        self._greeted_with = self._sent[-1].types if self._sent else self._holding
        following = self.next
        if self._wants_state:
            self.link.asks_for = "start = state"
            self.awaits_state = False
            if self._widened or self._needs_whole or not covers(self._holding, self._greeted_with):
                following = 0
            self._asked_for_all = following <= 1
        elif self._options.asked_policy == "latest":
            self.link.asks_for = "policy = latest"
        return self.link, self._options.hello(self._greeted_with, self.epoch, following, token)

    def batch(self) -> Batch | None:
        """What came since the last call."""
        link = self.link
        if link.step:
            self.next = link.next
        if not link.items:
            self._start_of_batch = self.next
            return None
        link.progressed = True
        batch = Batch(link.items, link.message_bytes, self.epoch, self._start_of_batch, self.next)
        self._start_of_batch = self.next
        link.items = []
        link.message_bytes = 0
        if link.open:
            link.take = link.items.append
        return batch

    def change(self, types: Sequence[Range], done: Callable[[int | RelayError], None]) -> None:
        """Asks for other types; ``done`` gets the sequence of the first message that they choose, or an error."""
        if self._options.plain:
            raise UsageError("the plain mode knows no types")
        checked = check_types(types)
        if self._ended is not None:
            raise self._ended
        if len(self._sent) + len(self._waiting) >= MOST_CHANGES:
            raise UsageError(f"{MOST_CHANGES} changes of types wait for the relay already")
        self._requests = (self._requests + 1) & 0x7FFFFFFF
        self._waiting.append(_Change(self._requests, checked, done))

    def requests(self) -> bytes:
        """The SUBSCRIBE frames to send now."""
        out = b""
        while self._waiting:
            change = self._waiting.popleft()
            if len(change.types) > self._most_ranges:
                limit = self._most_ranges
                change.done(UsageError(f"{len(change.types)} ranges of types are over the relay's limit of {limit}"))
            else:
                self._sent.append(change)
                out += _wire.subscribe(change.request, change.types)
        return out

    def end(self, cause: RelayError) -> None:
        """Ends all changes: no one is answered any more."""
        self._ended = cause
        changes = [*self._sent, *self._waiting]
        self._sent.clear()
        self._waiting.clear()
        for change in changes:
            change.done(cause)

    def _at(self, following: int) -> None:
        # Without SEQUENCES the number of a single message is not known: 0.
        counts = self._numbered or not self._filtered
        self.next = following
        self.link.next = following if counts else 0
        self.link.step = 1 if counts else 0

    def _item(self, item: Gap | StreamChanged | RolledBack | Missed | Connected | StateComplete) -> None:
        self.link.items.append(item)
        self._emit(item)

    def on_welcome(self, welcome: Welcome) -> None:
        link, options = self.link, self._options
        if options.level != "stream" and not welcome.features & _wire.LEVELS:
            raise ConnectionFailed(
                f"the relay at {link.endpoint} keeps no journal: level {options.level} is not possible", Advice.STOP
            )
        # The state follows on this connection whatever the epoch.
        common = None if self._wants_state else older_epoch(self.epochs, welcome)
        if common is not None:
            self._go_back(*common)
        self._check_cut_state(welcome)
        link.take = link.items.append
        self.idle_timeout = welcome.idle_ms / 1000
        self.heartbeat = welcome.heartbeat_ms / 1000
        self._most_ranges = welcome.most_ranges
        if not self._wants_state:
            self._emit(_connected(link.endpoint, welcome))
        self._narrowed = bool(welcome.features & _wire.NARROWED)
        self._filtered = self._narrowed or bool(self._greeted_with)
        self._numbered = bool(welcome.features & _wire.SEQUENCES)
        at = welcome.next
        self._not_too_far(_wire.WELCOME, at)
        other = self.epoch != 0 and welcome.epoch_changed
        had = self.next
        if other:
            if not welcome.rolled_back:
                self._item(StreamChanged(had))
            elif welcome.fork < had or not self._wants_state:
                # Who asked for the whole state may have had nothing from the fork on.
                self._item(RolledBack(welcome.fork, had - 1))
            self.head = 0
        if self._wants_state:
            self._begin_state(welcome, other)
        if self._wants_state and (other or self._asked_for_all):
            self.next = self._start_of_batch = 1
        elif had == 0 or other:
            self.next = self._start_of_batch = at
        self.epoch = welcome.epoch
        self.epochs = welcome.epochs
        self._not_back(_wire.WELCOME, at)
        if at > self.next:
            self._jump(_wire.WELCOME, at)
        self._at(at)
        if self._sent:
            self._holding = self._sent[-1].types
        done = [*self._sent]
        self._sent.clear()
        for change in done:
            change.done(at)

    def _begin_state(self, welcome: Welcome, other: bool) -> None:
        self._item(_connected(self.link.endpoint, welcome, other or self._asked_for_all))
        self.awaits_state = True
        if self._asked_for_all:
            self._widened = False
        if other or self._asked_for_all:
            self._passed_over = self._needs_whole = False

    def _check_cut_state(self, welcome: Welcome) -> None:
        """A state that was cut does not go on in a later life of the relay: a newer message, for which one was passed
        over, may be gone, and the number does not tell."""
        if self._passed_over and not (self._needs_whole or welcome.epoch_changed or welcome.epoch == self.epoch):
            self._needs_whole = True
            raise AskAgain(f"the state of the relay at {self.link.endpoint} was cut, and the relay began again")

    def _go_back(self, epoch: int, changed: int, epochs: Epochs) -> None:
        """Goes on in an older epoch: what this client had from ``changed`` on is gone."""
        if self.next > changed:
            self._item(RolledBack(changed, self.next - 1))
            self.next = self._start_of_batch = changed
        self.epoch, self.epochs = epoch, epochs
        self.head = 0
        raise AskAgain(f"the relay at {self.link.endpoint} knows this stream up to epoch {epoch}")

    def on_ping(self, following: int, head: int) -> None:
        self.head = head
        # Next 0: the PING says nothing about the stream.
        if following:
            self._left_out(_wire.PING, following)
            if self._wants_state:
                self._at_ping(following, head)

    def _at_ping(self, following: int, head: int) -> None:
        """A PING before the state is complete is no place at which all is known: an earlier connection may have been
        cut within the state."""
        if following == head + 1:
            self._passed_over = False
        if not self.awaits_state:
            self.link.items.append(AtPing(following, head))
        elif following == head + 1:
            self.awaits_state = False
            self._item(StateComplete(following, head))

    def on_pong(self, id_: int) -> None:
        """A subscriber sends no PING."""

    def on_goaway(self) -> None:
        """A subscriber reads on to the end."""

    def on_control(self, type_: int, body: bytes) -> None:
        if type_ == _wire.SEQUENCE:
            self._left_out(type_, _wire.decode_sequence(body))
        elif type_ == _wire.GAP:
            first, last, reason = _wire.decode_gap(body)
            self._not_too_far(type_, last)
            self._left_out(type_, first)
            self._item(Gap(first, last, reason))
            self._passed_over |= self._wants_state and reason == SUPERSEDED
            self._at(last + 1)
        elif type_ == _wire.SUBSCRIBED:
            request, sequence = _wire.decode_subscribed(body)
            self._left_out(type_, sequence)
            change = self._sent[0] if self._sent else None
            if change is None or change.request != request:
                expected = "none" if change is None else change.request
                raise broken_rule(
                    errors.PROTOCOL_ORDER, f"SUBSCRIBED answers request {request}, the one to be answered is {expected}"
                )
            self._sent.popleft()
            self._widened |= not covers(self._holding, change.types)
            self._holding = change.types
            self._filtered = self._narrowed or bool(change.types)
            self._at(sequence)
            change.done(sequence)
        else:
            raise _unexpected(type_, "on the subscribe port")

    def _left_out(self, type_: int, at: int) -> None:
        if self.link.step:
            self.next = self.link.next
        self._not_back(type_, at)
        self._not_too_far(type_, at)
        if at > self.next and not self._filtered:
            self._jump(type_, at)
        self._at(at)

    def _not_too_far(self, type_: int, at: int) -> None:
        if at > FARTHEST:
            raise broken_rule(
                errors.MALFORMED_CONTROL, f"{_wire.name(type_)} to {at} is beyond {FARTHEST}, where no stream gets"
            )

    def _not_back(self, type_: int, at: int) -> None:
        if at < self.next:
            raise broken_rule(errors.PROTOCOL_ORDER, f"{_wire.name(type_)} goes back from message {self.next} to {at}")

    def _jump(self, type_: int, at: int) -> None:
        if self._may_resume and self._doubted != self.next:
            self._doubted = self.next
            raise broken_rule(
                errors.PROTOCOL_ORDER,
                f"{_wire.name(type_)} jumps from message {self.next} to {at} without a reason",
            )
        self._doubted = 0
        self._item(Gap(self.next, at - 1, UNEXPLAINED))


@dataclass(frozen=True)
class Asked:
    """A call of flush or close: it waits for the messages up to ``to``."""

    to: int
    lost_before: int
    """Messages in doubt that were told before it."""


def next_ping_id(_last: int) -> int:
    """The id of a PING: drawn, so that no relay answers a PING that it has not read. Not 0, which no PING has."""
    return 1 + secrets.randbelow(2**63 - 1)


class PublisherCore:
    """Messages that are not settled, their numbers and acknowledgements; without ACKS, what the relay has confirmed.

    Places are counts of messages in the order of ``offer``, which is the order of the wire: at place 5 the first five
    are done, sent or asked for.

    ``offer`` may be called from other threads while they hold the lock that its owner holds for every other call.
    """

    def __init__(self, options: PublisherOptions) -> None:
        self._options = options
        self._emit = options.emit
        self._on_ack = options.tell_ack
        self._acks = options.acks
        self.max_body = options.max_body
        self.epoch = options.epoch
        # Those of the last WELCOME that this publisher went on with.
        self.epochs = check_epochs(options.epochs, options.epoch)
        self.first_number = options.first_number
        self.failure: RelayError | None = None
        self.closing = False
        # Frames that are not settled; the first has the number `first`. Of them `unsent` are for this connection.
        self._kept: deque[bytes] = deque()
        self._first = options.first_number
        self._unsent: list[bytes] = []
        self._bytes_kept = 0
        # Number of the last frame that this connection, and that any connection, was given.
        self._sent_to = self._ever_sent_to = max(0, self._first - 1)
        self._settled_to = 0
        self._told_gone = 0
        self._was_welcomed = False
        # With HELLO and without ACKS, PINGs find out what the relay has read.
        self.confirms = not (options.acks or options.plain)
        # Places: what became of the messages up to the first one is known, they are confirmed or lost; that of the PING
        # that is unanswered, 0: none; what earlier connections were given.
        self._known_to = self._pinged_to = self._sent_before = 0
        self._confirmed = 0
        self.ping_id = 0
        self._bytes_behind_ping = 0
        # The heartbeat interval has passed since the last PING: the next one is due.
        self.interval_is_over = False
        # Places that flushes wait for and no PING is behind, in rising order.
        self._wanted: deque[int] = deque()
        # Messages in doubt by lost connections that a flush has told; why the last connection was lost.
        self._told = 0
        self._why_lost: RelayError | None = None
        self.messages = 0
        self.bytes = 0
        self.settled = 0
        self.idle_timeout = 0.0
        self.heartbeat = 0.0
        """WELCOME's interval in seconds."""

    @property
    def unsettled(self) -> int:
        return self.messages - self.settled

    @property
    def confirmed(self) -> int:
        """Number of messages that the relay has read for certain; with ACKS those that are acknowledged."""
        return self.settled if self._acks else self._confirmed

    @property
    def _lost(self) -> int:
        return self._known_to - self._confirmed

    @property
    def _sent(self) -> int:
        return self.messages - len(self._unsent)

    @property
    def is_unconfirmed(self) -> bool:
        """Whether something that this connection was given waits for a PONG."""
        return self.confirms and self._sent > self._known_to

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent)

    def offer(self, type_: int, body: Body) -> bool:
        """Takes a message; False: there is no room for it now."""
        length = len(body) if type(body) is bytes else memoryview(body).nbytes
        if length > self.max_body:
            raise UsageError(f"body of {length} bytes is over the limit of {self.max_body}")
        if not _wire.LAST_RESERVED < type_ <= 0x7FFFFFFF:
            raise UsageError(f"type {type_} is not within {_wire.LAST_RESERVED + 1}..{0x7FFFFFFF}")
        if self.closing:
            raise UsageError("the publisher is closed")
        if self.failure is not None:
            raise self.failure
        size = length + 8
        if self._bytes_kept + size > self._options.buffer:
            return False
        try:
            header = _wire.HEADER.pack(type_, length)
        except struct.error:
            raise UsageError(f"type {type_!r} is no whole number") from None
        # A view of other items than bytes, or of every other byte, would go as more or less than `length` bytes.
        frame = header + (body if type(body) is bytes else memoryview(body).tobytes())
        self._bytes_kept += size
        self.messages += 1
        self.bytes += size
        if self._acks:
            self._kept.append(frame)
        self._unsent.append(frame)
        return True

    def connect(self, endpoint: str, token: str | None = None) -> tuple[Link, bytes]:
        """Begins a connection: its input, and the bytes to send first."""
        plain = self._options.plain
        self.link = Link(endpoint, self, self._emit, plain=plain, max_body=self._options.max_body)
        self._sent_before = self._sent
        self._pinged_to = self._bytes_behind_ping = 0
        self.interval_is_over = False
        if self._acks and self._first:
            self._forget(min(self._settled_to, self._ever_sent_to))
            self._sent_to = self._first - 1
        if self._acks:
            self._unsent = list(self._kept)
        if plain:
            self._emit(Connected(endpoint, plain=True))
            return self.link, b""
        return self.link, self._options.hello(self.epoch, self._first if self._acks else 0, token)

    def frames(self, most: int) -> bytes:
        """Frames to send now, at least one whole frame and about ``most`` bytes, and a due PING; empty: none."""
        unsent = self._unsent
        if not self.link.open or self.link.going_away:
            return b""
        if not unsent:
            return self._due_ping()
        count = size = 0
        for frame in unsent:
            count += 1
            size += len(frame)
            if size >= most:
                break
        data = b"".join(unsent if count == len(unsent) else unsent[:count])
        del unsent[:count]
        if self._acks:
            self._sent_to += count
            self._ever_sent_to = max(self._ever_sent_to, self._sent_to)
            self._forget(min(self._settled_to, self._sent_to))
            return data
        self._bytes_behind_ping += len(data)
        return data + self._due_ping()

    def _due_ping(self) -> bytes:
        """The PING behind all that was sent, if the last one is answered and there is a reason for another one."""
        sent, wanted = self._sent, self._wanted
        if not self.is_unconfirmed or self._pinged_to:
            return b""
        if not (self.interval_is_over or self._bytes_behind_ping >= BYTES_A_PING or (wanted and wanted[0] <= sent)):
            return b""
        while wanted and wanted[0] <= sent:
            wanted.popleft()
        self._pinged_to = sent
        self._bytes_behind_ping = 0
        self.interval_is_over = False
        self.ping_id = next_ping_id(self.ping_id)
        return _wire.ping(self.ping_id)

    def on_pong(self, id_: int) -> None:
        if self._pinged_to and id_ == self.ping_id:
            self.link.progressed = True
            self._confirmed += self._pinged_to - self._known_to
            self._known_to, self._pinged_to = self._pinged_to, 0
            if not self.is_unconfirmed:
                self.interval_is_over = False

    def ask(self) -> Asked:
        """Begins a flush of all messages so far: a PING comes behind the last one."""
        covered = self._wanted[-1] if self._wanted else max(self._known_to, self._pinged_to)
        if self.confirms and self.messages > covered:
            self._wanted.append(self.messages)
        return Asked(self.messages, self._told)

    def is_over(self, asked: Asked) -> bool:
        """Whether all these messages are settled; without ACKS: confirmed, or lost with their connection."""
        return (self._known_to if self.confirms else self.settled) >= asked.to

    def answer(self, asked: Asked) -> bool:
        """Ends a flush: whether all is done; raises what is wrong."""
        if not self.confirms:
            done = self.is_over(asked)
            if not done and self.failure is not None:
                raise self.failure
            return done
        lost, self._told = self._lost - asked.lost_before, self._lost
        if lost or not self.is_over(asked):
            raise self._not_done(asked.to, lost)
        return True

    def left(self, asked: Asked) -> int:
        """Messages that are not settled; without ACKS those that are not confirmed, but for what was told before."""
        if not self.confirms:
            return self.unsettled
        return self.messages - self._known_to + self._lost - asked.lost_before

    def what_is_left(self, asked: Asked) -> NotDone:
        """The error for messages that are not done at the end."""
        if self.confirms:
            return self._not_done(self.messages, self._lost - asked.lost_before)
        what = "acknowledged" if self._acks else "handed to the socket"
        return NotDone(f"{self.messages} published, {self.unsettled} not {what}", self.unsettled, 0, self.failure)

    def _not_done(self, to: int, lost: int) -> NotDone:
        sent = min(to, self._sent)
        in_doubt = lost + max(0, sent - self._known_to)
        text = f"{sent} sent, {in_doubt} in doubt: the relay has not confirmed them"
        if to > sent:
            text = f"{to} published, {to - sent} not sent; {text}"
        return NotDone(text, in_doubt + to - sent, in_doubt, self.failure or (self._why_lost if lost else None))

    def written(self) -> None:
        """The socket has taken all that ``frames`` gave: without ACKS these messages are settled."""
        if not self._acks:
            self._settle(self.messages - len(self._unsent) - self.settled, self._bytes_of_unsent())

    def lost(self, why: RelayError | None = None) -> None:
        """The connection has ended."""
        if self._acks:
            return
        # The half written ones are not sent again: another connection would bring them twice.
        self.written()
        known = self._known_to if self.confirms else self._sent_before
        in_doubt = self._sent - known
        self._sent_before = self._sent
        self._pinged_to = 0
        if in_doubt and self.confirms:
            self._known_to = self._sent
            while self._wanted and self._wanted[0] <= self._sent:
                self._wanted.popleft()
            self._why_lost = why
        if in_doubt:
            self._emit(InDoubt(in_doubt))

    def drop(self) -> None:
        """Frees the messages, which are another process's to settle: nothing is left to do."""
        self._kept.clear()
        self._unsent.clear()
        self.settled = self._known_to = self._confirmed = self.messages

    def _bytes_of_unsent(self) -> int:
        return sum(map(len, self._unsent))

    def _settle(self, messages: int, bytes_kept: int) -> None:
        self.settled += messages
        self._bytes_kept = bytes_kept

    def _forget(self, number: int) -> None:
        """Forgets the kept messages up to this number."""
        kept = self._kept
        count = min(number - self._first + 1, len(kept))
        if count > 0:
            size = self._bytes_kept
            for _ in range(count):
                size -= len(kept.popleft())
            self._first += count
            self._settle(count, size)

    def on_welcome(self, welcome: Welcome) -> None:
        endpoint, options = self.link.endpoint, self._options
        if self._acks and not welcome.features & _wire.ACKS:
            raise ConnectionFailed(f"the relay at {endpoint} grants no acknowledgements", Advice.STOP)
        if options.level != "stream" and not welcome.features & _wire.LEVELS:
            raise ConnectionFailed(
                f"the relay at {endpoint} keeps no journal: level {options.level} is not possible", Advice.STOP
            )
        common = older_epoch(self.epochs, welcome)
        if common is not None:
            self.epoch, _, self.epochs = common
            raise AskAgain(f"the relay at {endpoint} knows this stream up to epoch {self.epoch}")
        self.link.take = _refuse
        self.idle_timeout = welcome.idle_ms / 1000
        self.heartbeat = welcome.heartbeat_ms / 1000
        self.max_body = min(options.max_body, welcome.max_body)
        self._emit(_connected(endpoint, welcome))
        if self._acks:
            self._number(welcome)
        self.epoch = welcome.epoch
        self.epochs = welcome.epochs
        if not welcome.epoch_changed:
            return
        if self._acks and welcome.rolled_back:
            # The relay does not know what it has told this publisher, and may tell it again.
            first, last = max(welcome.fork, self._told_gone + 1), self._first - 1
            self._told_gone = last
            if first <= last:
                self._emit(RolledBack(first, last))
        else:
            self._emit(StreamChanged(0))

    def _number(self, welcome: Welcome) -> None:
        accepted = welcome.accepted
        if accepted == _wire.MAX_NUMBER:
            raise broken_rule(errors.MESSAGE_GAP, f"WELCOME has accepted {accepted}, which leaves no number")
        if self._first == 0:
            self._first = self.first_number = accepted + 1
            self._sent_to = self._ever_sent_to = accepted
        elif 0 < accepted < self._first - 1 and not welcome.epoch_changed:
            raise broken_rule(
                errors.MESSAGE_GAP,
                f"WELCOME has accepted only {accepted}, this publisher goes on with {self._first}",
            )
        elif accepted >= self._first and accepted > self._settled_to:
            # The caller may have published these numbers in an earlier process: only at first.
            if self._was_welcomed and accepted > self._ever_sent_to:
                raise self._never_sent("WELCOME", accepted, self._ever_sent_to)
            # The relay counts this connection's messages from HELLO's number on: they are sent before they are
            # forgotten.
            self._settled_to = accepted
            self._on_ack(accepted, 0)
        self._was_welcomed = True

    def _never_sent(self, frame: str, number: int, sent_to: int) -> ConnectionFailed:
        return broken_rule(
            errors.PROTOCOL_ORDER, f"{frame} speaks of message {number}, the last one that was sent is {sent_to}"
        )

    def on_ping(self, following: int, head: int) -> None:
        pass

    def on_goaway(self) -> None:
        """No more is sent over this connection: ``frames`` looks at it."""

    def on_control(self, type_: int, body: bytes) -> None:
        if type_ != _wire.ACK or not self._acks:
            raise _unexpected(type_, "to a publisher that did not ask for it")
        number, sequence, written, forced = _wire.decode_ack(body)
        self.link.progressed = True
        level = self._options.level
        settled = number if level == "stream" else written if level == "written" else forced
        if number > self._sent_to:
            raise self._never_sent("ACK", number, self._sent_to)
        if settled >= self._first and settled > self._settled_to:
            self._settled_to = settled
            self._on_ack(settled, sequence if settled == number else 0)
            self._forget(settled)

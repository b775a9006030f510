"""The core without sockets: bytes in, items, answers and errors out."""

import array
import random
import struct
import unittest
from typing import Any

from msgrelay import _core, _wire, events
from msgrelay._core import BYTES_A_PING, MOST_CHANGES, PublisherCore, SubscriberCore
from msgrelay.errors import CODE_NAMES, Advice, AskAgain, ConnectionFailed, NotDone, UsageError, from_relay
from msgrelay.events import Connected, Gap, InDoubt, Message, RolledBack, StreamChanged
from msgrelay.options import FromSequence, PublisherOptions, Reconnect, SubscriberOptions

# Ids that the tests of both files know.
_core.next_ping_id = lambda last: last + 1


def welcome(
    following: int = 1,
    *,
    epoch: int = 7,
    accepted: int = 0,
    features: int = _wire.SEQUENCES | _wire.ACKS,
    flags: int = 0,
    fork: int = 0,
    max_body: int = 1 << 20,
    heartbeat: int = 1000,
    epochs: tuple = (),
    peer: tuple = (),
    interval_ms: int = 0,
) -> bytes:
    features |= (_wire.EPOCHS if epochs else 0) | (_wire.PEER if peer else 0)
    features |= _wire.INTERVAL if interval_ms else 0
    body = struct.pack(
        ">HBBIqqqiiiHHH", 1, 1, flags, features, epoch, following, accepted, max_body, heartbeat, 600_000, 9, 0, 0
    )
    rows = struct.pack(">HH", len(epochs), 0) + b"".join(struct.pack(">qq", *row) for row in epochs)
    texts = b"".join(struct.pack(">H", len(text)) + text for text in peer)
    appended = struct.pack(">q", fork) + (rows if epochs else b"")
    appended += struct.pack(">I", interval_ms) if interval_ms else b""
    return _wire.frame(_wire.WELCOME, body + appended + texts)


def message(text: str, type_: int = 1) -> bytes:
    return _wire.frame(type_, text.encode())


def ping(id_: int, following: int, head: int) -> bytes:
    return _wire.frame(_wire.PING, struct.pack(">qqq", id_, following, head))


def pong(id_: int) -> bytes:
    return _wire.pong(id_)


def gap(first: int, last: int, reason: int = 1) -> bytes:
    return _wire.frame(_wire.GAP, struct.pack(">qqHHI", first, last, reason, 0, 0))


def ack(number: int, sequence: int = 1) -> bytes:
    return _wire.frame(_wire.ACK, struct.pack(">qq", number, sequence))


def subscriber(**options: Any) -> SubscriberCore:
    return SubscriberCore(SubscriberOptions("127.0.0.1:1", **options))


def received(core: SubscriberCore, data: bytes) -> list:
    link, _ = core.connect("here")
    link.receive(data)
    batch = core.batch()
    return batch.items if batch else []


class OlderBackupTest(unittest.TestCase):
    def test_common_epoch_of_random_lives(self) -> None:
        seed = random.getrandbits(32)
        chance = random.Random(seed)
        for _ in range(2000):
            # Lives of a stream, as pairs of an epoch and its messages; a backup forks them.
            lives: list = []
            stream: list = []

            def live(lives: list = lives, stream: list = stream) -> None:
                epoch = chance.getrandbits(62) | 1
                lives.insert(0, (epoch, len(stream) + 1))
                stream += [(epoch, i) for i in range(chance.randrange(4))]

            for _ in range(chance.randint(1, 5)):
                live()
            backup = lives.copy(), stream.copy()
            for _ in range(chance.randrange(4)):
                live()
            theirs, their_stream = backup
            for _ in range(chance.randint(1, 3)):
                live(theirs, their_stream)
            next_ = chance.randint(1, len(stream) + 1)
            core = subscriber(start=FromSequence(next_, lives[0][0], lives[:16]))
            common = [row for row in lives[1:] if row in theirs]
            link, _ = core.connect("here")
            if not common:
                link.receive(welcome(1, epoch=theirs[0][0], flags=1, epochs=tuple(theirs)))
                self.assertEqual([StreamChanged(next_)], core.batch().items, seed)
                continue
            with self.assertRaises(AskAgain):
                link.receive(welcome(1, epoch=theirs[0][0], flags=1, epochs=tuple(theirs)))
            self.assertEqual((common[0][0], tuple(common)), (core.epoch, core.epochs[: len(common)]), seed)
            # All before the place is the same in both.
            self.assertEqual(stream[: core.next - 1], their_stream[: core.next - 1], seed)
            batch = core.batch()
            if core.next < next_:
                self.assertEqual([RolledBack(core.next, next_ - 1)], batch.items, seed)
                self.assertEqual((core.next, core.next), (batch.start, batch.next), seed)
            else:
                self.assertIsNone(batch, seed)

    def test_publisher_asks_again(self) -> None:
        events: list = []
        options = PublisherOptions("h:1", name="x", acks=True, producer=bytes(15) + b"x", on_event=events.append)
        core = PublisherCore(options)
        link, _ = core.connect("here")
        link.receive(welcome(epoch=200, accepted=0, epochs=((200, 3), (100, 1))))
        core.offer(1, b"a")
        core.frames(1000)
        link.receive(ack(1))
        link, _ = core.connect("here")
        with self.assertRaises(AskAgain):
            link.receive(welcome(epoch=300, flags=1, epochs=((300, 2), (100, 1))))
        self.assertEqual((100, ((100, 1),)), (core.epoch, core.epochs))
        link, first = core.connect("here")
        self.assertEqual(options.hello(100, 2, None), first)
        link.receive(welcome(epoch=300, flags=3, fork=1, epochs=((300, 2), (100, 1))))
        self.assertEqual([RolledBack(1, 1)], [e for e in events if isinstance(e, RolledBack)])
        self.assertEqual((300, ((300, 2), (100, 1))), (core.epoch, core.epochs))
        self.assertEqual(2, sum(isinstance(e, Connected) for e in events))


class FramesTest(unittest.TestCase):
    STREAM = (
        message("before")
        + welcome(5)
        + message("five")
        + gap(6, 8)
        + message("", 2147483647)
        + ping(3, 10, 9)
        + message("ten", -2147483392)
    )
    ITEMS = (Message(5, 1, b"five"), Gap(6, 8, 1), Message(9, 2147483647, b""), Message(10, -2147483392, b"ten"))

    def test_a_byte_at_a_time(self) -> None:
        core = subscriber()
        link, _ = core.connect("here")
        items = []
        for at in range(len(self.STREAM)):
            link.receive(self.STREAM[at : at + 1])
            batch = core.batch()
            items += batch.items if batch else []
        self.assertEqual(list(self.ITEMS), items)
        self.assertEqual(_wire.pong(3), link.output())
        self.assertEqual(b"", link.output())
        self.assertFalse(link.is_within_frame)

    def test_every_cut(self) -> None:
        for cut in range(len(self.STREAM) + 1):
            core = subscriber()
            link, _ = core.connect("here")
            link.receive(self.STREAM[:cut])
            link.receive(self.STREAM[cut:])
            batch = core.batch()
            assert batch is not None
            self.assertEqual(list(self.ITEMS), batch.items, f"cut at {cut}")
            self.assertEqual(8 * 3 + len("fiveten"), batch.bytes, f"cut at {cut}")
            self.assertEqual(11, core.next)

    def test_length_is_checked_before_the_body_is_stored(self) -> None:
        for length, code in ((-1, 4), ((1 << 20) + 1, 5)):
            core = subscriber()
            link, _ = core.connect("here")
            with self.assertRaises(ConnectionFailed) as caught:
                link.receive(welcome() + message("kept") + _wire.HEADER.pack(1, length))
            self.assertEqual(code, caught.exception.code)
            batch = core.batch()
            assert batch is not None
            self.assertEqual([Message(1, 1, b"kept")], batch.items)

    def test_endless_gaps_take_no_memory_of_their_own(self) -> None:
        core = subscriber()
        link, _ = core.connect("here")
        link.receive(welcome())
        for at in range(1, 10_001):
            link.receive(gap(at, at))
            batch = core.batch()
            assert batch is not None
            self.assertEqual([Gap(at, at, 1)], batch.items)
        self.assertEqual([], link.items)


class SubscriberCoreTest(unittest.TestCase):
    def test_resumes_where_it_was(self) -> None:
        core = subscriber(start="earliest")
        _, hello = core.connect("here")
        self.assertEqual(_wire.EARLIEST, hello[8 + 6])
        core.link.receive(welcome(5) + message("a"))
        core.batch()
        _, hello = core.connect("here")
        self.assertEqual((_wire.FROM_SEQUENCE, 7, 6), (hello[8 + 6], *struct.unpack_from(">qq", hello, 8 + 16)))

    def test_what_the_relay_sees(self) -> None:
        for peer, expected in (
            ((), (None, None)),
            ((b"192.0.2.7:40001", b"audit"), ("192.0.2.7:40001", "audit")),
            ((b"unix", b""), ("unix", "")),
        ):
            told: list = []
            core = subscriber(on_event=told.append)
            _, hello = core.connect("here")
            self.assertTrue(struct.unpack_from(">I", hello, 8 + 8)[0] & _wire.PEER)
            core.link.receive(welcome(peer=peer, epochs=((7, 1),)))
            self.assertEqual((*expected, None), (told[0].address, told[0].identity, told[0].anew))

    def test_rolled_back_and_changed(self) -> None:
        core = subscriber()
        received(core, welcome(5) + message("a") * 3)
        self.assertEqual(
            [RolledBack(6, 7), Message(6, 1, b"b")],
            received(core, welcome(6, epoch=8, flags=3, fork=6) + message("b")),
        )
        self.assertEqual(
            [StreamChanged(7), Message(1, 1, b"c")], received(core, welcome(1, epoch=9, flags=1) + message("c"))
        )
        self.assertEqual((9, 2), (core.epoch, core.next))

    def test_jump_is_doubted_once(self) -> None:
        core = subscriber()
        link, _ = core.connect("here")
        with self.assertRaises(ConnectionFailed) as caught:
            link.receive(welcome() + message("a") + ping(1, 9, 8))
        self.assertEqual(15, caught.exception.code)
        core.batch()
        self.assertEqual([Gap(2, 8, events.UNEXPLAINED)], received(core, welcome(2) + ping(1, 9, 8)))

    def test_jump_without_reconnect_is_a_gap_at_once(self) -> None:
        core = subscriber(reconnect=Reconnect(rounds=0), start=FromSequence(3))
        self.assertEqual([Gap(3, 8, events.UNEXPLAINED)], received(core, welcome(9)))

    def test_types_without_numbers(self) -> None:
        core = subscriber(types=[(1, 1)])
        self.assertEqual([Message(0, 1, b"a")], received(core, welcome(5, features=0) + message("a")))
        self.assertEqual(5, core.next)
        core.link.receive(ping(1, 30, 40))
        self.assertEqual((30, 40), (core.next, core.head))

    def test_changes_of_types(self) -> None:
        core = subscriber(types=[(1, 1)])
        answers: list = []
        received(core, welcome(5))
        core.change([(2, 3)], answers.append)
        core.change([], answers.append)
        self.assertEqual(_wire.subscribe(1, [(2, 3)]) + _wire.subscribe(2, []), core.requests())
        core.link.receive(_wire.frame(_wire.SUBSCRIBED, struct.pack(">iiq", 1, 0, 20)))
        self.assertEqual([20], answers)
        # The next HELLO stands for the other one.
        _, hello = core.connect("here")
        self.assertEqual(0, struct.unpack_from(">H", hello, 8 + 32)[0])
        core.link.receive(welcome(20))
        self.assertEqual([20, 20], answers)

    def test_too_many_changes_of_types(self) -> None:
        core = subscriber()
        answers: list = []
        for _ in range(MOST_CHANGES):
            core.change([], answers.append)
        with self.assertRaises(UsageError):
            core.change([], answers.append)
        core.end(ConnectionFailed("over"))
        self.assertEqual(MOST_CHANGES, len(answers))

    def test_more_ranges_than_the_relay_takes(self) -> None:
        core = subscriber()
        answers: list = []
        received(core, welcome())
        core.change([(i, i) for i in range(10)], answers.append)
        self.assertEqual(b"", core.requests())
        self.assertIsInstance(answers[0], UsageError)


class PublisherCoreTest(unittest.TestCase):
    def setUp(self) -> None:
        self.acked: list = []
        self.events: list = []

    def publisher(self, **options: Any) -> PublisherCore:
        return PublisherCore(
            PublisherOptions(
                "127.0.0.1:1",
                name="orders",
                acks=True,
                on_ack=lambda number, sequence: self.acked.append((number, sequence)),
                on_event=self.events.append,
                **options,
            )
        )

    def test_sends_again_from_the_first_that_is_not_acknowledged(self) -> None:
        core = self.publisher()
        link, _ = core.connect("here")
        for text in "abc":
            self.assertTrue(core.offer(1, text.encode()))
        self.assertEqual(b"", core.frames(1000))
        link.receive(welcome(accepted=7))
        self.assertEqual(8, core.first_number)
        self.assertEqual(message("a") + message("b") + message("c"), core.frames(1000))
        link.receive(ack(9, 50))
        self.assertEqual(([(9, 50)], 2, 1), (self.acked, core.settled, core.unsettled))
        link, hello = core.connect("here")
        self.assertEqual(10, struct.unpack_from(">q", hello, 8 + 24)[0])
        link.receive(welcome(accepted=10))
        # The relay counts from HELLO's number on, so 10 is sent although it is known.
        self.assertEqual(message("c"), core.frames(1000))
        self.assertEqual(([(9, 50), (10, 0)], 0), (self.acked, core.unsettled))

    def test_frames_in_portions(self) -> None:
        core = self.publisher(first_number=1)
        link, _ = core.connect("here")
        link.receive(welcome())
        for _ in range(5):
            core.offer(1, b"12345678")
        self.assertEqual([32, 32, 16, 0], [len(core.frames(20)) for _ in range(4)])

    def test_acknowledgement_beyond_what_was_sent(self) -> None:
        core = self.publisher(first_number=1)
        link, _ = core.connect("here")
        link.receive(welcome())
        core.offer(1, b"a")
        with self.assertRaises(ConnectionFailed) as caught:
            link.receive(ack(1))
        self.assertEqual(15, caught.exception.code)
        self.assertEqual(1, core.unsettled)

    def test_full_is_a_value(self) -> None:
        core = self.publisher(max_body=100, buffer=108)
        self.assertTrue(core.offer(1, bytes(92)))
        self.assertTrue(core.offer(1, b""))
        self.assertFalse(core.offer(1, b""))
        self.assertEqual(2, core.messages)

    def test_what_is_refused(self) -> None:
        core = self.publisher(max_body=10)
        for type_, body in ((1, bytes(11)), (-(1 << 31), b""), (-(1 << 31) + 255, b""), (1 << 31, b"")):
            with self.subTest(type=type_), self.assertRaises(UsageError):
                core.offer(type_, body)
        self.assertEqual(0, core.messages)

    def test_bodies_are_bytes_of_any_buffer(self) -> None:
        core = self.publisher(max_body=32)
        core.connect("here")[0].receive(welcome())
        numbers = array.array("i", [1, 2, 3])
        for body in (bytearray(b"abc"), memoryview(b"abc"), numbers, memoryview(numbers), memoryview(b"abcdef")[::2]):
            expected = bytes(body.tobytes() if hasattr(body, "tobytes") else body)
            self.assertTrue(core.offer(1, body))  # type: ignore[arg-type]
            self.assertEqual(_wire.frame(1, expected), core.frames(1000))
        before = core.bytes
        with self.assertRaises(UsageError):
            core.offer(1, memoryview(array.array("q", range(5))))
        for body in ("text", None, 5):
            with self.assertRaises(TypeError):
                core.offer(1, body)  # type: ignore[arg-type]
        with self.assertRaises(UsageError):
            core.offer(1.5, b"")  # type: ignore[arg-type]
        self.assertEqual((before, b""), (core.bytes, core.frames(1000)))

    def test_closed_is_what_a_closed_publisher_says(self) -> None:
        core = self.publisher()
        core.failure = ConnectionFailed("the end of the last connection")
        core.closing = True
        with self.assertRaisesRegex(UsageError, "closed"):
            core.offer(1, b"")

    def test_goaway_stops_sending(self) -> None:
        core = self.publisher()
        link, _ = core.connect("here")
        link.receive(welcome() + _wire.frame(_wire.GOAWAY, struct.pack(">HHi", 10, 0, 500) + b"soon"))
        core.offer(1, b"a")
        self.assertEqual(b"", core.frames(1000))
        self.assertEqual(events.GoingAway("here", 10, "soon", 0.5), self.events[-1])

    def test_rolled_back_is_told_once(self) -> None:
        core = self.publisher(first_number=5, epoch=3)
        for _ in range(2):
            link, _ = core.connect("here")
            link.receive(welcome(flags=3, fork=3))
        self.assertEqual([RolledBack(3, 4)], [e for e in self.events if isinstance(e, RolledBack)])


class ConfirmingTest(unittest.TestCase):
    """A publisher with HELLO and without ACKS."""

    def setUp(self) -> None:
        self.events: list = []

    def publisher(self, **options: Any) -> PublisherCore:
        core = PublisherCore(PublisherOptions("127.0.0.1:1", on_event=self.events.append, **options))
        self.connect(core)
        return core

    @staticmethod
    def connect(core: PublisherCore) -> None:
        core.connect("here")[0].receive(welcome(features=0))

    def test_ping_comes_behind_the_messages_of_a_flush(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.offer(1, b"b")
        asked = core.ask()
        self.assertEqual(message("a"), core.frames(1))
        self.assertEqual(message("b") + ping(1, 0, 0), core.frames(1))
        self.assertEqual(b"", core.frames(1))
        self.assertFalse(core.is_over(asked))
        core.link.receive(pong(1))
        self.assertTrue(core.answer(asked))
        self.assertEqual((2, 0, False), (core.confirmed, core.left(core.ask()), core.is_unconfirmed))

    def test_pong_a_byte_at_a_time(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        asked = core.ask()
        core.frames(100)
        for byte in pong(1):
            self.assertFalse(core.is_over(asked))
            core.link.receive(bytes((byte,)))
        self.assertTrue(core.answer(asked))

    def test_pongs_that_answer_nothing(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.link.receive(pong(0) + pong(1))
        asked = core.ask()
        core.link.receive(pong(1))
        self.assertTrue(core.frames(100).endswith(ping(1, 0, 0)))
        core.link.receive(pong(2) + pong(0) + pong(-1))
        self.assertEqual(0, core.confirmed)
        core.offer(1, b"b")
        core.frames(100)
        core.link.receive(pong(1) + pong(1) + pong(2))
        self.assertEqual((1, True), (core.confirmed, core.is_over(asked)))
        self.assertTrue(core.is_unconfirmed)

    def test_one_ping_is_unanswered_at_most(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        first = core.ask()
        core.frames(100)
        core.offer(1, b"b")
        second, third = core.ask(), core.ask()
        core.interval_is_over = True
        self.assertEqual(message("b"), core.frames(100))
        core.link.receive(pong(1))
        self.assertTrue(core.is_over(first))
        self.assertFalse(core.is_over(second))
        self.assertEqual(ping(2, 0, 0), core.frames(100))
        core.link.receive(pong(2))
        self.assertTrue(core.answer(second) and core.answer(third))
        self.assertEqual(b"", core.frames(100))

    def test_flush_during_the_ping_for_the_same_messages_shares_it(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.ask()
        core.frames(100)
        asked = core.ask()
        core.link.receive(pong(1))
        core.offer(1, b"b")
        self.assertEqual(message("b"), core.frames(100))
        self.assertTrue(core.answer(asked))

    def test_each_mebibyte(self) -> None:
        core = self.publisher(buffer=8 << 20)
        body = bytes((256 << 10) - 8)
        for _ in range(12):
            core.offer(1, body)
        ids = []
        while data := core.frames(1):
            if data[256 << 10 :]:
                ids.append(data[256 << 10 :])
            if len(ids) == 1 and len(core._unsent) == 2:
                core.link.receive(pong(1))
        self.assertEqual(4 * (256 << 10), BYTES_A_PING)
        # Behind the 4th, and not before the answer, which came behind the 10th.
        self.assertEqual([ping(1, 0, 0), ping(2, 0, 0)], ids)
        self.assertEqual(4, core.confirmed)
        core.link.receive(pong(2))
        self.assertEqual(11, core.confirmed)

    def test_interval(self) -> None:
        core = self.publisher()
        core.interval_is_over = True
        self.assertEqual(b"", core.frames(100))
        core.offer(1, b"a")
        self.assertEqual(message("a") + ping(1, 0, 0), core.frames(100))
        core.interval_is_over = True
        core.link.receive(pong(1))
        # Nothing is unconfirmed: the interval begins again with the next message.
        core.offer(1, b"b")
        self.assertEqual(message("b"), core.frames(100))

    def test_flush_without_connection_waits_for_the_next_one(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.frames(100)
        core.offer(1, b"b")
        asked = core.ask()
        core.lost(from_relay(10, "bye"))
        self.assertEqual([InDoubt(1)], self.events[1:])
        self.assertFalse(core.is_over(asked))
        self.connect(core)
        self.assertEqual(message("b") + ping(1, 0, 0), core.frames(100))
        core.link.receive(pong(1))
        with self.assertRaisesRegex(NotDone, r"2 sent, 1 in doubt: .*SHUTDOWN") as caught:
            core.answer(asked)
        error = caught.exception
        self.assertEqual((1, 1, "retry", 10), (error.messages, error.in_doubt, error.kind, error.code))
        self.assertTrue(core.answer(core.ask()))
        self.assertEqual((1, 0), (core.confirmed, core.left(core.ask())))

    def test_loss_is_told_to_each_flush_that_waited(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        waiting = [core.ask(), core.ask()]
        core.frames(100)
        core.lost()
        for asked in waiting:
            with self.assertRaisesRegex(NotDone, "1 sent, 1 in doubt"):
                core.answer(asked)
        self.assertTrue(core.answer(core.ask()))

    def test_time_is_over(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.frames(100)
        core.offer(1, b"b")
        asked = core.ask()
        with self.assertRaisesRegex(NotDone, "2 published, 1 not sent; 1 sent, 1 in doubt") as caught:
            core.answer(asked)
        self.assertEqual((2, 1), (caught.exception.messages, caught.exception.in_doubt))
        self.assertEqual(2, core.left(core.ask()))
        # Not told for good: they may still be confirmed, or be lost.
        core.frames(100)
        core.lost()
        with self.assertRaisesRegex(NotDone, "2 sent, 2 in doubt"):
            core.answer(core.ask())

    def test_nothing_is_sent_after_goaway(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.frames(100)
        core.ask()
        core.link.receive(_wire.frame(_wire.GOAWAY, struct.pack(">HHi", 10, 0, 500)))
        self.assertEqual(b"", core.frames(100))

    def test_ping_of_a_lost_connection_is_forgotten(self) -> None:
        core = self.publisher()
        core.offer(1, b"a")
        core.ask()
        core.frames(100)
        core.lost()
        self.connect(core)
        core.offer(1, b"b")
        core.frames(100)
        core.link.receive(pong(1))
        self.assertEqual(0, core.confirmed)
        asked = core.ask()
        self.assertEqual(ping(2, 0, 0), core.frames(100))
        core.link.receive(pong(2))
        self.assertEqual((1, True), (core.confirmed, core.is_over(asked)))

    def test_plain_sends_no_ping(self) -> None:
        core = PublisherCore(PublisherOptions("127.0.0.1:1", plain=True, on_event=self.events.append))
        core.connect("here")
        core.offer(1, b"a")
        asked = core.ask()
        self.assertEqual(message("a"), core.frames(100))
        core.written()
        self.assertTrue(core.answer(asked))
        self.assertEqual((1, 0), (core.settled, core.confirmed))
        core.lost()
        self.assertEqual(InDoubt(1), self.events[-1])
        core.connect("here")
        core.lost()
        self.assertEqual(1, sum(isinstance(e, InDoubt) for e in self.events))

    def test_random_schedules(self) -> None:
        """In doubt is never below what the relay lacks; and nothing is, once the relay has answered a flush."""
        seed = random.randrange(1 << 32)
        for run in range(seed, seed + 300):
            with self.subTest(seed=run):
                self.random_schedule(random.Random(run))

    def random_schedule(self, chance: random.Random) -> None:
        core = self.publisher()
        wire = bytearray()
        has = told = at_loss = 0

        def reads(size: int) -> None:
            nonlocal has
            while size >= 8 and len(wire) >= 8:
                type_, length = _wire.HEADER.unpack_from(wire)
                size -= 8 + length
                if size < 0 or len(wire) < 8 + length:
                    return
                body = bytes(wire[8 : 8 + length])
                del wire[: 8 + length]
                if type_ == _wire.PING:
                    core.link.receive(pong(*struct.unpack_from(">q", body)))
                else:
                    has += 1

        def check() -> None:
            sent = core.messages - len(core._unsent)
            in_doubt = told + core.left(core.ask()) - len(core._unsent)
            self.assertGreaterEqual(in_doubt, sent - has)
            self.assertEqual(sent, core.confirmed + in_doubt)

        def flush() -> int:
            try:
                core.answer(core.ask())
                return 0
            except NotDone as e:
                return e.in_doubt

        for _ in range(chance.randrange(200)):
            step = chance.randrange(100)
            if step < 50:
                core.offer(1, bytes(chance.choice((0, 1, 5000, 300_000))))
            elif step < 70:
                wire += core.frames(chance.choice((1, 10_000, 1 << 20)))
                core.written()
            elif step < 85:
                reads(chance.choice((8, 1000, 100_000, 1 << 20)))
            elif step < 90:
                core.ask()
            elif step < 93:
                core.interval_is_over = True
            elif step < 96:
                wire.clear()
                core.lost()
                at_loss = has - core.confirmed
                self.connect(core)
            else:
                lost = core._lost - core._told
                self.assertGreaterEqual(flush(), lost)
                told += lost
            check()
        # From here on the relay lives.
        asked = core.ask()
        while not core.is_over(asked):
            wire += core.frames(1 << 20)
            core.written()
            reads(1 << 30)
        self.assertEqual(core._lost - core._told, core.left(core.ask()))
        # What the relay read without a PONG before a loss stays in doubt, and nothing else.
        self.assertEqual(has, core.confirmed + at_loss)
        check()


class ErrorsTest(unittest.TestCase):
    # The table of docs/protocol.md, "Errors".
    STOP = (4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29)
    SLOWLY = (18, 19, 27, 32)

    def test_each_code(self) -> None:
        for code in range(1, len(CODE_NAMES)):
            with self.subTest(CODE_NAMES[code]):
                error = from_relay(code, "why")
                expected = Advice.AGAIN
                if code in self.STOP:
                    expected = Advice.STOP
                elif code in self.SLOWLY:
                    expected = Advice.SLOWLY
                elif code == 24:
                    expected = Advice.FEW_SLOWLY
                elif code == 31:
                    expected = Advice.FEW
                self.assertIs(expected, error.advice)
                self.assertEqual("fatal" if code in self.STOP else "retry", error.kind)
                self.assertIn(CODE_NAMES[code], str(error))

    def test_unknown_code_is_worth_a_few_tries(self) -> None:
        self.assertIs(Advice.FEW, from_relay(999, "").advice)

    def test_text_of_a_relay_has_no_control_characters(self) -> None:
        self.assertNotIn("\x1b", str(from_relay(10, "\x1b[31mred")))


if __name__ == "__main__":
    unittest.main()

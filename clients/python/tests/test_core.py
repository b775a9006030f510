"""The core without sockets: bytes in, items, answers and errors out."""

import array
import struct
import unittest
from typing import Any

from msgrelay import _wire, events
from msgrelay._core import MOST_CHANGES, PublisherCore, SubscriberCore
from msgrelay.errors import CODE_NAMES, Advice, ConnectionFailed, UsageError, from_relay
from msgrelay.events import Gap, Message, RolledBack, StreamChanged
from msgrelay.options import FromSequence, PublisherOptions, Reconnect, SubscriberOptions


def welcome(
    following: int = 1,
    *,
    epoch: int = 7,
    accepted: int = 0,
    features: int = _wire.SEQUENCES | _wire.ACKS,
    flags: int = 0,
    fork: int = 0,
    max_body: int = 1 << 20,
) -> bytes:
    body = struct.pack(
        ">HBBIqqqiiiHHH", 1, 1, flags, features, epoch, following, accepted, max_body, 1000, 3000, 9, 0, 0
    )
    return _wire.frame(_wire.WELCOME, body + struct.pack(">q", fork))


def message(text: str, type_: int = 1) -> bytes:
    return _wire.frame(type_, text.encode())


def ping(id_: int, following: int, head: int) -> bytes:
    return _wire.frame(_wire.PING, struct.pack(">qqq", id_, following, head))


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

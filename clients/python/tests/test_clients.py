"""The clients over real sockets: asyncio and threads, against a relay of this test's own."""

import asyncio
import contextlib
import gc
import logging
import random
import socket
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from test_core import ack, gap, message, ping, pong, welcome

from msgrelay import (
    SUPERSEDED,
    Connected,
    ConnectionFailed,
    Gap,
    GaveUp,
    InDoubt,
    Lost,
    Message,
    Missed,
    NotDone,
    PublisherOptions,
    Reconnect,
    StateComplete,
    StateLate,
    StateView,
    SubscriberOptions,
    Unsettled,
    UsageError,
    _wire,
    aio,
    threads,
)
from msgrelay._io import Connection, SubscriberSession

# Reached by a hang alone, in seconds.
HANG = 60
SOON = Reconnect(first=0.001, longest=0.001)


class FakeRelay:
    """Accepts connections one by one; the test plays each by hand."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(HANG)
        self.endpoint = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def accept(self, reply: bytes = b"") -> socket.socket:
        connection, _ = self._listener.accept()
        connection.settimeout(HANG)
        self.read_frame(connection)
        connection.sendall(reply)
        return connection

    def accept_plain(self, timeout: float = HANG) -> socket.socket:
        self._listener.settimeout(timeout)
        return self._listener.accept()[0]

    @staticmethod
    def read_frame(connection: socket.socket) -> tuple:
        def read(size: int) -> bytes:
            data = b""
            while len(data) < size:
                more = connection.recv(size - len(data))
                if not more:
                    raise EOFError
                data += more
            return data

        type_, length = _wire.HEADER.unpack(read(8))
        return type_, read(length)

    @classmethod
    def expect(cls, connection: socket.socket, *frames: bytes) -> None:
        for frame in frames:
            assert _wire.frame(*cls.read_frame(connection)) == frame

    @staticmethod
    def expect_end(connection: socket.socket) -> None:
        """Reads to the end. The client has then closed its socket, in order or not."""
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(1 << 16):
                pass

    def close(self) -> None:
        self._listener.close()


class ThreadsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.relay = FakeRelay()
        self.addCleanup(self.relay.close)
        self.threads = set(threading.enumerate())
        self.events: list = []

    def tearDown(self) -> None:
        self.assertEqual(self.threads, set(threading.enumerate()))

    def subscriber(self, **options: Any) -> threads.Subscriber:
        given = {"reconnect": SOON, "on_event": self.events.append, **options}
        return threads.Subscriber(SubscriberOptions(self.relay.endpoint, **given))

    def publisher(self, **options: Any) -> threads.Publisher:
        given = {"reconnect": SOON, "on_event": self.events.append, "name": "x", "acks": True, **options}
        return threads.Publisher(PublisherOptions(self.relay.endpoint, **given))

    def test_subscriber_over_a_cut(self) -> None:
        with self.subscriber() as subscriber:
            with self.relay.accept(welcome() + message("a") + gap(2, 3)):
                items = iter(subscriber)
                self.assertEqual([Message(1, 1, b"a"), Gap(2, 3, 1)], [next(items), next(items)])
                self.assertEqual(
                    (7, 4, 1, 9), (subscriber.epoch, subscriber.next, subscriber.messages, subscriber.bytes)
                )
            rows = ((8, 4), (7, 1))
            with self.relay.accept(welcome(4, epoch=8, epochs=rows) + message("b") + message("c")):
                self.assertEqual(Message(4, 1, b"b"), next(items))
                self.assertEqual((5, 8, rows), (subscriber.next, subscriber.epoch, subscriber.epochs))
                # Another loop goes on behind the last item.
                self.assertEqual(Message(5, 1, b"c"), next(iter(subscriber)))
        self.assertEqual([], list(subscriber))
        self.assertTrue(any(isinstance(e, Lost) for e in self.events))

    def test_state_over_a_cut(self) -> None:
        view = StateView()
        with self.subscriber(start="state") as subscriber:
            items = iter(subscriber)

            def take() -> int:
                view.take(next(items))
                return subscriber.next

            with self.relay.accept(welcome() + gap(1, 3, SUPERSEDED) + message("a") + ping(1, 5, 4) + message("b")):
                # Connected, the gap, the message, the end of the state, the stream.
                self.assertEqual([1, 4, 5, 5, 6], [take() for _ in range(5)])
                self.assertEqual((b"a", True, 3), (view.get(1), view.whole(), view.superseded))
            with self.relay.accept(welcome(6) + gap(6, 7, SUPERSEDED) + ping(1, 8, 7) + ping(2, 8, 8)):
                self.assertEqual([6, 8, 8, 8], [take() for _ in range(4)])
                self.assertEqual((b"b", True, 5, 8), (view.get(1), view.whole(), view.superseded, view.next))
        told = [e.anew for e in self.events if isinstance(e, Connected)]
        self.assertEqual([True, False], told)
        self.assertEqual([5, 8], [e.next for e in self.events if isinstance(e, StateComplete)])

    def test_state_that_is_late(self) -> None:
        with mock.patch("msgrelay._io.STATE_IS_LATE", 0.0), self.subscriber(start="state") as subscriber:
            with self.relay.accept(welcome() + message("a")) as connection:
                while not any(isinstance(e, StateLate) for e in self.events):
                    subscriber.batch(0.01)
                connection.sendall(message("b") + ping(1, 3, 2))
                while not any(isinstance(e, StateComplete) for e in self.events):
                    subscriber.batch(0.01)
            # Told once for each connection, and not for one whose state has come.
            with self.relay.accept(welcome(3) + ping(1, 3, 2)) as connection:
                connection.sendall(message("c") + ping(2, 4, 3))
                while sum(isinstance(e, StateComplete) for e in self.events) < 2:
                    subscriber.batch(0.01)
        self.assertEqual([StateLate(self.relay.endpoint, 0.0)], [e for e in self.events if isinstance(e, StateLate)])

    def test_close_within_the_loop_ends_it(self) -> None:
        subscriber = self.subscriber()
        with self.relay.accept(welcome() + message("a") * 100):
            for item in subscriber:
                if item.sequence == 3:
                    subscriber.close()
        # What was not handed over would come again.
        self.assertEqual((3, 4, 3), (item.sequence, subscriber.next, subscriber.messages))
        self.assertEqual(([], []), (subscriber.batch(), list(subscriber)))

    def test_iterator_goes_on_behind_an_exception(self) -> None:
        with self.subscriber() as subscriber, self.relay.accept(welcome()) as connection:
            self.assertTrue(subscriber.connected(HANG))
            items = iter(subscriber)
            wait_for = subscriber._news.wait_for

            def interrupted(*_: Any) -> bool:
                raise KeyboardInterrupt

            subscriber._news.wait_for = interrupted  # type: ignore[method-assign]
            with self.assertRaises(KeyboardInterrupt):
                next(items)
            subscriber._news.wait_for = wait_for  # type: ignore[method-assign]
            connection.sendall(message("a"))
            self.assertEqual(1, next(items).sequence)

    def test_batch_after_a_loop_and_in_vain(self) -> None:
        with self.subscriber() as subscriber, self.relay.accept(welcome() + message("a") + message("b") * 3):
            self.assertEqual(1, next(iter(subscriber)).sequence)
            got: list = []
            while len(got) < 3:
                got += subscriber.batch(HANG)
            self.assertEqual([2, 3, 4], [m.sequence for m in got])
            self.assertEqual([], subscriber.batch(timeout=0.01))
            self.assertEqual(4, subscriber.messages)

    def test_subscriber_that_gives_up(self) -> None:
        with self.subscriber() as subscriber:
            error = _wire.error(28, "who are you")
            with self.relay.accept(welcome() + message("a") + error):
                items = iter(subscriber)
                self.assertEqual(b"a", next(items).body)
                with self.assertRaises(ConnectionFailed) as caught:
                    next(items)
                self.assertEqual(("fatal", 28), (caught.exception.kind, caught.exception.code))
                with self.assertRaises(ConnectionFailed):
                    subscriber.batch()
                with self.assertRaises(ConnectionFailed):
                    subscriber.types([(1, 1)])
        self.assertIsInstance(self.events[-1], GaveUp)

    def test_close_wakes_a_reader(self) -> None:
        subscriber = self.subscriber()
        with self.relay.accept(welcome()):
            self.assertTrue(subscriber.connected(HANG))
            rest: list = []
            reader = threading.Thread(target=lambda: rest.append(list(subscriber)))
            reader.start()
            subscriber.close()
            subscriber.close()
            reader.join(HANG)
            self.assertEqual([[]], rest)
            with self.assertRaises(UsageError):
                subscriber.types([])

    def test_exception_of_the_hook_ends_the_client(self) -> None:
        def hook(_event: object) -> None:
            raise RuntimeError("a fault of the user")

        with self.subscriber(on_event=hook) as subscriber, self.relay.accept(welcome()):
            with self.assertRaisesRegex(ConnectionFailed, "a fault of the user") as caught:
                subscriber.batch(HANG)
            self.assertEqual("fatal", caught.exception.kind)

    def test_what_is_no_exception_ends_the_client_too(self) -> None:
        for raised in (SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()):

            def hook(_event: object, raised: BaseException = raised) -> None:
                raise raised

            with self.subTest(repr(raised)), self.subscriber(on_event=hook) as subscriber:
                with self.relay.accept(welcome()), self.assertRaises(ConnectionFailed) as caught:
                    self.assertTrue(subscriber.batch(HANG), "a hang")
                self.assertIn(f"on_event raised {raised!r}", str(caught.exception))
                self.assertEqual("fatal", caught.exception.kind)

    def test_exit_of_the_hook_of_acknowledgements_ends_the_publisher(self) -> None:
        def on_ack(_number: int, _sequence: int) -> None:
            raise SystemExit

        publisher = self.publisher(on_ack=on_ack)
        with self.relay.accept(welcome()) as connection:
            publisher.publish(1, b"a")
            self.relay.read_frame(connection)
            connection.sendall(ack(1))
            with self.assertRaisesRegex(ConnectionFailed, "on_ack raised SystemExit"):
                self.assertTrue(publisher.flush(HANG), "a hang")
                publisher.flush(HANG)
        publisher.close()

    def test_calls_that_would_wait_for_their_own_thread(self) -> None:
        for call in ("close", "connected", "batch", "types"):
            with self.subTest(call):
                self.refuses_in_its_hook(call, *([[(1, 1)]] if call == "types" else []))

    def refuses_in_its_hook(self, call: str, *arguments: Any) -> None:
        """The hook runs on the client's thread: a call that waits there would wait for ever."""
        made: list = []
        asked = threading.Event()

        def hook(_event: object) -> None:
            asked.wait(HANG)
            getattr(made[0], call)(*arguments)

        subscriber = self.subscriber(on_event=hook)
        made.append(subscriber)
        asked.set()
        refusal = self.assertRaisesRegex(UsageError, "would wait for its own thread")
        with self.relay.accept(welcome()), refusal:
            subscriber.batch(HANG)
        closing = threading.Thread(target=subscriber.close, daemon=True)
        closing.start()
        closing.join(HANG)
        self.assertFalse(closing.is_alive())

    def test_hook_of_a_publisher(self) -> None:
        made: list = []
        told: list = []
        asked = threading.Event()

        def on_ack(_number: int, _sequence: int) -> None:
            asked.wait(HANG)
            told.append(made[0].publish(1, b"next", timeout=0))
            told.append(made[0].flush(timeout=0))
            for call in (made[0].flush, made[0].close, lambda: made[0].publish(1, bytes(8), timeout=None)):
                with self.assertRaises(UsageError):
                    call()

        with self.publisher(max_body=8, buffer=28, on_ack=on_ack, close_timeout=0.05) as publisher:
            made.append(publisher)
            asked.set()
            with self.relay.accept(welcome()) as connection:
                publisher.publish(1, bytes(8))
                self.relay.read_frame(connection)
                connection.sendall(ack(1))
                self.assertEqual((1, b"next"), self.relay.read_frame(connection))
                # The message was sent within the hook, which goes on.
                while len(told) < 2:
                    time.sleep(0.001)
                self.assertEqual([True, False], told)
                self.assertEqual(1, publisher.close())

    def test_slow_reader_stops_the_reading(self) -> None:
        chunk = message("x" * 1000) * 64
        with self.subscriber(buffer=10_000) as subscriber, self.relay.accept(welcome()) as connection:
            self.assertTrue(subscriber.connected(HANG))
            connection.settimeout(0.5)
            sent = 0
            with self.assertRaises(TimeoutError if sys.version_info >= (3, 10) else socket.timeout):
                while sent < 64_000_000:
                    sent += connection.send(chunk[sent % len(chunk) :])
            self.assertLess(sent, 64_000_000)
            whole = sent // 1008
            got = 0
            while got < whole:
                got += len(subscriber.batch(HANG))
            self.assertEqual(whole, got)

    def test_slow_reader_says_that_it_lives(self) -> None:
        with self.subscriber(buffer=1) as subscriber, self.relay.accept(welcome(heartbeat=100)) as connection:
            connection.sendall(message("a"))
            for _ in range(3):
                self.relay.expect(connection, pong(0))
            # It answers nothing that lies unread, and is not asked again while it reads.
            connection.sendall(ping(7, 2, 1))
            self.relay.expect(connection, pong(0))
            self.assertEqual([Message(1, 1, b"a")], subscriber.batch(HANG))
            while (frame := self.relay.read_frame(connection)) == (_wire.PONG, bytes(8)):
                pass
            self.assertEqual(_wire.frame(*frame), pong(7))
            reading = subscriber._session._session.connection
            assert reading is not None
            self.assertIsNone(reading._pong_timer)

    def test_gaps_are_bounded_too(self) -> None:
        with self.subscriber() as subscriber, self.relay.accept(welcome()) as connection:
            self.assertTrue(subscriber.connected(HANG))
            connection.settimeout(0.5)
            sent = 0
            with self.assertRaises(TimeoutError if sys.version_info >= (3, 10) else socket.timeout):
                while sent < 1_000_000:
                    connection.sendall(b"".join(gap(i, i) for i in range(sent + 1, sent + 1001)))
                    sent += 1000
            self.assertEqual(Gap(1, 1, 1), next(iter(subscriber)))

    def test_plain_subscriber_that_is_full_stays_paused(self) -> None:
        with self.subscriber(plain=True, buffer=1) as subscriber:
            self.relay.accept_plain().close()
            # The notice of what was missed fills the buffer: the end of this connection is not read, nor another made.
            with self.relay.accept_plain() as connection:
                while sum(isinstance(e, Connected) for e in self.events) < 2:
                    time.sleep(0.001)
                connection.close()
            with self.assertRaises(TimeoutError if sys.version_info >= (3, 10) else socket.timeout):
                self.relay.accept_plain(timeout=0.2)
            self.assertEqual([Missed()], subscriber.batch(HANG))
            self.relay.accept_plain().close()

    def test_publisher_over_a_cut(self) -> None:
        acked: list = []
        with self.publisher(on_ack=lambda *a: acked.append(a)) as publisher:
            with self.relay.accept(welcome(accepted=4)) as connection:
                for text in ("a", "b", "c"):
                    self.assertTrue(publisher.publish(1, text.encode()))
                bodies = [self.relay.read_frame(connection)[1] for _ in range(3)]
                self.assertEqual([b"a", b"b", b"c"], bodies)
                connection.sendall(ack(6, 60))
                while publisher.settled < 2:
                    self.assertFalse(publisher.flush(0.01))
            with self.relay.accept(welcome(accepted=6)) as connection:
                self.assertEqual((1, b"c"), self.relay.read_frame(connection))
                connection.sendall(ack(7, 70))
                self.assertTrue(publisher.flush(HANG))
        self.assertEqual([(6, 60), (7, 70)], acked)
        self.assertEqual(
            (5, 3, 3, 27), (publisher.first_number, publisher.messages, publisher.settled, publisher.bytes)
        )
        self.assertEqual(0, publisher.close())

    def test_publisher_waits_for_room(self) -> None:
        with self.publisher(max_body=8, buffer=32) as publisher, self.relay.accept(welcome()) as connection:
            self.assertEqual(2, sum(publisher.publish(1, bytes(8), timeout=0) for _ in range(3)))
            self.assertFalse(publisher.publish(1, bytes(8), timeout=0.01))
            waiting = threading.Thread(target=publisher.publish, args=(1, bytes(8)))
            waiting.start()
            self.relay.read_frame(connection)
            connection.sendall(ack(1))
            waiting.join(HANG)
            self.assertEqual(3, publisher.messages)
            connection.sendall(ack(2))
            for _ in range(2):
                self.relay.read_frame(connection)
            connection.sendall(ack(3))
            self.assertTrue(publisher.flush(HANG))

    def test_close_tells_what_was_not_settled(self) -> None:
        publisher = self.publisher(close_timeout=0.05)
        with self.relay.accept(welcome()):
            publisher.publish(1, b"a")
            self.assertEqual(1, publisher.close())
            with self.assertRaises(UsageError):
                publisher.publish(1, b"b")

    def confirming(self, **options: Any) -> threads.Publisher:
        return self.publisher(name="", acks=False, close_timeout=HANG, **options)

    def test_flush_waits_until_the_relay_has_read(self) -> None:
        with self.confirming() as publisher, self.relay.accept(welcome(features=0)) as connection:
            publisher.publish(1, b"a")
            answers: list = []
            flushing = [threading.Thread(target=lambda: answers.append(publisher.flush(HANG))) for _ in range(3)]
            for one in flushing:
                one.start()
            self.relay.expect(connection, message("a"), ping(1, 0, 0))
            self.assertEqual(([], 0), (answers, publisher.confirmed))
            connection.sendall(pong(1))
            for one in flushing:
                one.join(HANG)
            self.assertEqual([True] * 3, answers)
            self.assertEqual((1, 1), (publisher.confirmed, publisher.settled))
            # One PING for all of them.
            publisher.publish(1, b"b")
            with self.assertRaisesRegex(NotDone, "in doubt"):
                publisher.flush(0)
            self.relay.expect(connection, message("b"), ping(2, 0, 0))
            connection.sendall(pong(2))
        self.assertEqual((2, 0), (publisher.confirmed, publisher.close()))

    def test_ping_after_each_heartbeat(self) -> None:
        with self.confirming() as publisher, self.relay.accept(welcome(features=0, heartbeat=100)) as connection:
            for id_ in (1, 2):
                publisher.publish(1, b"a")
                self.relay.expect(connection, message("a"), ping(id_, 0, 0))
                connection.sendall(pong(id_))
                while publisher.confirmed < id_:
                    time.sleep(0.001)
            # The timer is stopped in the same call that takes the PONG.
            self.assertTrue(publisher.flush(HANG))
            publisher.close()
            self.assertIsNone(publisher._session._timer)

    def test_end_of_the_block_tells_what_is_in_doubt(self) -> None:
        telling = self.assertRaisesRegex(NotDone, "2 sent, 2 in doubt: .* closed the connection")
        with telling as caught, self.confirming() as publisher:
            connection = self.relay.accept(welcome(features=0))
            publisher.publish(1, b"a")
            publisher.publish(1, b"b")
            self.relay.expect(connection, message("a"), message("b"))
            connection.close()
            while not any(isinstance(e, Lost) for e in self.events):
                time.sleep(0.001)
        self.assertEqual((2, 2), (caught.exception.messages, caught.exception.in_doubt))
        self.assertEqual([2], [e.messages for e in self.events if isinstance(e, InDoubt)])
        with self.assertRaisesRegex(KeyError, "of the user"), self.publisher(close_timeout=0.01) as publisher:
            publisher.publish(1, b"a")
            raise KeyError("of the user")
        self.assertEqual([1], [e.error.messages for e in self.events if isinstance(e, Unsettled)])
        # The number was there already.
        with self.publisher(close_timeout=0.01) as publisher:
            publisher.publish(1, b"a")
            self.assertEqual(1, publisher.close())

    def test_lost_connection_while_closing(self) -> None:
        publisher = self.confirming()
        with self.relay.accept(welcome(features=0)) as connection:
            publisher.publish(1, b"a")
            left: list = []
            closing = [threading.Thread(target=lambda: left.append(publisher.close())) for _ in range(2)]
            for one in closing:
                one.start()
            self.relay.expect(connection, message("a"), ping(1, 0, 0))
        for one in closing:
            one.join(HANG)
        self.assertEqual([1, 1], left)
        self.assertFalse(any(isinstance(e, (Lost, GaveUp)) for e in self.events))

    def test_close_ends_a_flush(self) -> None:
        publisher = self.publisher(name="", acks=False, close_timeout=0.05)
        with self.relay.accept(welcome(features=0)) as connection:
            publisher.publish(1, b"a")
            told: list = []

            def flush() -> None:
                try:
                    publisher.flush()
                except NotDone as e:
                    told.append(e.in_doubt)

            flushing = threading.Thread(target=flush)
            flushing.start()
            self.relay.expect(connection, message("a"), ping(1, 0, 0))
            self.assertEqual(1, publisher.close())
            flushing.join(HANG)
            self.assertEqual([1], told)

    def test_interrupt_of_a_close_leaves_nothing(self) -> None:
        publisher = self.confirming()
        with self.relay.accept(welcome(features=0)) as connection:
            publisher.publish(1, b"a")

            def interrupted(*_: Any) -> bool:
                raise KeyboardInterrupt

            publisher._news.wait_for = interrupted  # type: ignore[method-assign]
            with self.assertRaises(KeyboardInterrupt):
                publisher.close()
            self.relay.expect_end(connection)
        self.assertEqual(1, publisher.close())
        self.assertEqual([1], [e.error.messages for e in self.events if isinstance(e, Unsettled)])

    def test_exception_of_the_hook_about_a_loss_ends_the_publisher(self) -> None:
        def hook(event: object) -> None:
            if isinstance(event, InDoubt):
                raise RuntimeError("a fault of the user")

        publisher = self.confirming(on_event=hook)
        with self.relay.accept(welcome(features=0)) as connection:
            publisher.publish(1, b"a")
            self.relay.expect(connection, message("a"))
        with self.assertRaisesRegex(NotDone, "1 sent, 1 in doubt: .*a fault of the user") as caught:
            publisher.flush(HANG)
        self.assertEqual("fatal", caught.exception.kind)
        self.assertEqual(0, publisher.close())

    def test_last_word_to_a_plain_publisher(self) -> None:
        publisher = threads.Publisher(
            PublisherOptions(self.relay.endpoint, plain=True, on_event=self.events.append, reconnect=SOON)
        )
        publisher.publish(1, b"a")
        connection = self.relay.accept()
        answer = threading.Timer(0.05, connection.sendall, [_wire.error(7, "the wrong port")])
        answer.start()
        self.assertEqual(0, publisher.close())
        answer.join()
        connection.close()
        self.assertEqual(7, self.events[-1].error.code)

    def test_first_failure_and_first_success_are_told(self) -> None:
        options = SubscriberOptions(self.relay.endpoint, reconnect=SOON)
        with self.assertLogs("msgrelay") as logs, threads.Subscriber(options) as subscriber:
            for _ in range(2):
                # With HELLO read: a close before it would be a reset.
                self.relay.accept().close()
            for _ in range(2):
                with self.relay.accept(welcome(subscriber.next or 1) + message("a")):
                    self.assertEqual(1, len(subscriber.batch(HANG)))
        first, second = logs.records
        self.assertIn(f"the relay at {self.relay.endpoint} closed the connection", first.getMessage())
        self.assertEqual(f"connected to {self.relay.endpoint}", second.getMessage())
        self.assertEqual(["WARNING"] * 2, [one.levelname for one in logs.records])

    def test_program_that_takes_events_reads_no_log(self) -> None:
        with self.assertLogs("msgrelay") as logs, self.subscriber() as subscriber:
            logging.getLogger("msgrelay").warning("the only one")
            self.relay.accept_plain().close()
            with self.relay.accept(welcome()):
                self.assertTrue(subscriber.connected(HANG))
        self.assertEqual(["the only one"], [one.getMessage() for one in logs.records])

    def test_endpoints_instead_of_options(self) -> None:
        for given in (self.relay.endpoint, [self.relay.endpoint]):
            with threads.Subscriber(given) as subscriber, self.relay.accept(welcome()):
                self.assertTrue(subscriber.connected(HANG))
            with threads.Publisher(given) as publisher, self.relay.accept(welcome(features=0)):
                self.assertTrue(publisher.connected(HANG))
        for wrong in (SubscriberOptions(self.relay.endpoint), 7401, None):
            with self.assertRaisesRegex(UsageError, "wanted are PublisherOptions, or endpoints, not "):
                threads.Publisher(wrong)  # type: ignore[arg-type]
        with self.assertRaisesRegex(UsageError, "none of host:port"):
            threads.Publisher("nonsense")

    def test_thread_that_can_run_no_loop(self) -> None:
        # As where threads are greenlets, and another one's loop runs.
        new = asyncio.new_event_loop
        made: list = []

        def one_that_cannot_run() -> asyncio.AbstractEventLoop:
            def run_forever() -> None:
                raise RuntimeError("Cannot run the event loop while another loop is running")

            made.append(new())
            made[0].run_forever = run_forever
            return made[0]

        self.addCleanup(setattr, asyncio, "new_event_loop", new)
        asyncio.new_event_loop = one_that_cannot_run
        with self.assertRaisesRegex(UsageError, "another loop is running: .* greenlets"):
            self.subscriber()
        self.assertTrue(made[0].is_closed())

    def test_relay_that_is_not_there(self) -> None:
        self.relay.close()
        with self.subscriber(reconnect=Reconnect(rounds=0)) as subscriber:
            with self.assertRaises(ConnectionFailed) as caught:
                subscriber.connected(HANG)
            self.assertEqual(("retry", 0), (caught.exception.kind, caught.exception.code))


class OtherTransport:
    """As the transports of uvloop: like those of asyncio, without being them."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class AsyncioTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.relay = FakeRelay()
        self.addCleanup(self.relay.close)
        self.loop = asyncio.get_running_loop()

    async def accept(self, reply: bytes) -> socket.socket:
        return await self.loop.run_in_executor(None, self.relay.accept, reply)

    async def test_subscriber(self) -> None:
        options = SubscriberOptions(self.relay.endpoint, reconnect=SOON)
        async with aio.Subscriber(options) as subscriber:
            with await self.accept(welcome() + message("a") + message("b") + message("c")):
                await subscriber.connected()
                async for item in subscriber:
                    self.assertEqual(Message(1, 1, b"a"), item)
                    break
                self.assertEqual([2, 3], [m.sequence for m in await subscriber.batch()])
            with await self.accept(welcome(4) + message("d")):
                async for item in subscriber:
                    self.assertEqual(Message(4, 1, b"d"), item)
                    break
            self.assertEqual((7, 5, 4), (subscriber.epoch, subscriber.next, subscriber.messages))
        async with aio.Subscriber(self.relay.endpoint):
            (await self.accept(welcome())).close()
        async with aio.Publisher([self.relay.endpoint]):
            (await self.accept(welcome(features=0))).close()
        with self.assertRaisesRegex(UsageError, "wanted are PublisherOptions, or endpoints, not "):
            aio.Publisher(options)  # type: ignore[arg-type]
        self.assertEqual([], await subscriber.batch())
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        self.assertEqual(set(), tasks)

    async def test_close_within_the_loop_ends_it(self) -> None:
        subscriber = aio.Subscriber(SubscriberOptions(self.relay.endpoint))
        with await self.accept(welcome() + message("a") * 100):
            async for item in subscriber:
                if item.sequence == 3:
                    await subscriber.close()
        self.assertEqual((3, 4, 3), (item.sequence, subscriber.next, subscriber.messages))
        self.assertEqual([], await subscriber.batch())

    async def test_cancelled_wait_for_the_next_item(self) -> None:
        seed = random.getrandbits(32)
        chance = random.Random(seed)
        async with aio.Subscriber(SubscriberOptions(self.relay.endpoint)) as subscriber:
            with await self.accept(welcome()) as connection:
                await subscriber.connected()
                items = subscriber.__aiter__()
                got: list = []
                sent = 0
                for _ in range(10_000):
                    # One or none; it comes before the end of the wait, at the same moment or after it.
                    for _ in range(chance.randrange(2)):
                        sent += 1
                        connection.sendall(message(str(sent)))
                    if chance.randrange(2):
                        waiting = asyncio.ensure_future(items.__anext__())
                        for _ in range(chance.randrange(6)):
                            await asyncio.sleep(0)
                        waiting.cancel()
                        with contextlib.suppress(asyncio.CancelledError):
                            got.append(await waiting)
                    else:
                        with contextlib.suppress(asyncio.TimeoutError):
                            got.append(await asyncio.wait_for(items.__anext__(), chance.random() / 5000))
                while len(got) < sent:
                    got.append(await asyncio.wait_for(items.__anext__(), HANG))
        self.assertEqual([b"%d" % i for i in range(1, sent + 1)], [m.body for m in got], f"seed {seed}")

    async def test_publisher(self) -> None:
        options = PublisherOptions(self.relay.endpoint, name="x", acks=True, max_body=8, buffer=16, reconnect=SOON)
        async with aio.Publisher(options) as publisher:
            with await self.accept(welcome()) as connection:
                await publisher.publish(1, bytes(8))
                self.assertFalse(publisher.offer(1, b""))
                self.assertFalse(await publisher.flush(0.01))
                waiting = asyncio.ensure_future(publisher.publish(2, b"next"))
                await self.loop.run_in_executor(None, self.relay.read_frame, connection)
                connection.sendall(ack(1))
                await waiting
                frame = await self.loop.run_in_executor(None, self.relay.read_frame, connection)
                self.assertEqual((2, b"next"), frame)
                connection.sendall(ack(2))
                self.assertTrue(await publisher.flush(HANG))
        self.assertEqual(2, publisher.settled)

    async def test_many_calls_that_wait_for_room(self) -> None:
        options = PublisherOptions(self.relay.endpoint, name="x", acks=True, max_body=8, buffer=16, reconnect=SOON)
        bodies = [i.to_bytes(8, "big") for i in range(500)]
        offered: list = []

        def relay() -> list:
            with self.relay.accept(welcome()) as connection:
                got = []
                for number in range(1, 401):
                    got.append(self.relay.read_frame(connection)[1])
                    connection.sendall(ack(number))
                return got

        got = self.loop.run_in_executor(None, relay)
        async with aio.Publisher(options) as publisher:
            offer = publisher._core.offer

            def counted(type_: int, body: Any) -> bool:
                offered.append(body)
                return offer(type_, body)

            publisher._core.offer = counted  # type: ignore[method-assign]
            calls = [asyncio.ensure_future(publisher.publish(1, body)) for body in bodies]
            await asyncio.sleep(0)
            # A call that is cancelled takes no message, and no other's turn.
            for call in calls[4::5]:
                call.cancel()
            expected = [body for i, body in enumerate(bodies) if i % 5 != 4]
            self.assertEqual(expected, await asyncio.wait_for(got, HANG))
            await asyncio.gather(*calls, return_exceptions=True)
        # Each call is woken a few times, however many there are.
        self.assertLess(len(offered), 10 * len(bodies))

    async def test_publisher_that_confirms(self) -> None:
        options = PublisherOptions(self.relay.endpoint, close_timeout=HANG, reconnect=SOON)
        async with aio.Publisher(options) as publisher:
            with await self.accept(welcome(features=0)) as connection:
                await publisher.publish(1, b"a")
                flushing = [asyncio.ensure_future(publisher.flush()) for _ in range(3)]
                frames = (message("a"), ping(1, 0, 0))
                await self.loop.run_in_executor(None, self.relay.expect, connection, *frames)
                flushing[0].cancel()
                connection.sendall(pong(1))
                self.assertEqual([True, True], await asyncio.gather(*flushing[1:]))
                self.assertEqual((1, 1), (publisher.confirmed, publisher.settled))
                await publisher.publish(1, b"b")
                with self.assertRaisesRegex(NotDone, "in doubt"):
                    await publisher.flush(0)
                frames = (message("b"), ping(2, 0, 0))
                await self.loop.run_in_executor(None, self.relay.expect, connection, *frames)
                connection.sendall(pong(2))
        self.assertEqual((2, 0), (publisher.confirmed, await publisher.close()))

    async def test_end_of_the_block_tells_what_is_in_doubt(self) -> None:
        options = PublisherOptions(self.relay.endpoint, close_timeout=HANG, reconnect=SOON)

        async def block() -> None:
            async with aio.Publisher(options) as publisher:
                with await self.accept(welcome(features=0)) as connection:
                    await publisher.publish(1, b"a")
                    await self.loop.run_in_executor(None, self.relay.expect, connection, message("a"))

        with self.assertRaisesRegex(NotDone, "1 sent, 1 in doubt"):
            await block()
        self.assertEqual({asyncio.current_task()}, asyncio.all_tasks())

    async def test_cancelled_close_leaves_nothing(self) -> None:
        for turns in range(1, 21):
            for acks in (False, True):
                options = PublisherOptions(
                    self.relay.endpoint, name="x", acks=acks, max_body=1 << 22, close_timeout=HANG, reconnect=SOON
                )
                publisher = aio.Publisher(options)
                # More than the socket takes: the transport has a rest when it is closed.
                await publisher.publish(1, bytes(1 << 22))
                with await self.accept(welcome()) as connection:
                    closing = asyncio.ensure_future(publisher.close())
                    for _ in range(turns):
                        await asyncio.sleep(0)
                    closing.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await closing
                    self.assertEqual({asyncio.current_task()}, asyncio.all_tasks())
                    await self.loop.run_in_executor(None, self.relay.expect_end, connection)

    async def test_time_out_around_the_block(self) -> None:
        events: list = []

        def options(close_timeout: float) -> PublisherOptions:
            return PublisherOptions(
                self.relay.endpoint, name="x", acks=True, close_timeout=close_timeout, on_event=events.append
            )

        async def publish(options: PublisherOptions) -> None:
            async with aio.Publisher(options) as publisher:
                await publisher.publish(1, b"a")
                await publisher.flush()

        # Over the connection that is there it settles.
        running = asyncio.ensure_future(publish(options(HANG)))
        with await self.accept(welcome()) as connection:
            await self.loop.run_in_executor(None, self.relay.expect, connection, message("a"))
            running.cancel()
            await asyncio.sleep(0)
            connection.sendall(ack(1))
            with self.assertRaises(asyncio.CancelledError):
                await running
        self.assertFalse(any(isinstance(e, Unsettled) for e in events))
        # Without one it waits for none.
        self.relay.close()
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(publish(options(1_000_000)), 0.05)
        self.assertEqual([1], [e.error.messages for e in events if isinstance(e, Unsettled)])
        self.assertEqual({asyncio.current_task()}, asyncio.all_tasks())

    async def test_cancelled_again_and_again(self) -> None:
        seed = random.getrandbits(32)
        chance = random.Random(seed)
        descriptors: set = set()
        new, close = socket.socket.__init__, socket.socket.close

        def made(one: socket.socket, *rest: Any, **how: Any) -> None:
            new(one, *rest, **how)
            if "fileno" not in how and len(rest) < 4:
                descriptors.add(id(one))

        def closed(one: socket.socket) -> None:
            descriptors.discard(id(one))
            close(one)

        self.addCleanup(setattr, socket.socket, "__init__", new)
        self.addCleanup(setattr, socket.socket, "close", close)
        socket.socket.__init__, socket.socket.close = made, closed  # type: ignore[method-assign]
        # Takes connections and says nothing; the other endpoint is not there.
        here, gone = self.relay.endpoint, "127.0.0.1:1"
        for turn in range(100):
            events: list = []
            where = chance.choice((here, gone))
            options = PublisherOptions(
                where, name="x", acks=True, close_timeout=HANG, reconnect=SOON, on_event=events.append
            )

            async def publish(options: PublisherOptions = options) -> None:
                async with aio.Publisher(options) as publisher:
                    for _ in range(1000):
                        await publisher.publish(1, b"a")
                    await publisher.flush()

            running = asyncio.ensure_future(publish())
            for _ in range(chance.randrange(1, 40)):
                await asyncio.sleep(0)
            # The second one comes within close, and perhaps others within what it does then.
            while not running.done():
                running.cancel()
                await asyncio.sleep(0)
            self.assertTrue(running.cancelled())
            case = f"seed {seed}, turn {turn}"
            self.assertEqual({asyncio.current_task()}, asyncio.all_tasks(), case)
            self.assertEqual(set(), descriptors, case)
            told = [e.error.messages for e in events if isinstance(e, Unsettled)]
            self.assertEqual([1000], told, case)
            with contextlib.suppress(OSError):
                while True:
                    self.relay.accept_plain(0).close()
            descriptors.clear()

    async def test_relay_that_takes_no_answers(self) -> None:
        class Full(asyncio.Transport):
            """The socket of a relay that reads nothing any more."""

            written = 0

            def write(self, data: bytes) -> None:  # type: ignore[override]
                self.written += len(data)

            def get_write_buffer_size(self) -> int:
                return self.written

            def set_write_buffer_limits(self, high: Any = None, low: Any = None) -> None:
                pass

        options = SubscriberOptions(self.relay.endpoint)
        session = SubscriberSession(options, lambda: None)
        connection, transport = Connection(session._session), Full()
        connection.connection_made(transport)
        connection.data_received(welcome())
        for id_ in range(1_000_000):
            connection.data_received(ping(id_, 1, 0))
            if connection.ended.done():
                break
        self.assertIn("takes no answers", str(connection.ended.result()))
        self.assertLess(transport.written, 1_000_000)
        session._session.connection = None
        await session.close()

    async def test_state(self) -> None:
        view = StateView()
        async with aio.Subscriber(SubscriberOptions(self.relay.endpoint, start="state")) as subscriber:
            with await self.accept(welcome() + message("a") + message("", 2) + ping(1, 3, 2)):
                async for item in subscriber:
                    view.take(item)
                    if view.whole():
                        break
        self.assertEqual(([1], b"a", 3, 7), (view.types(), view.get(1), view.next, view.epoch))

    async def test_transports_that_are_not_asyncios(self) -> None:
        self.makes(OtherTransport)
        async with aio.Subscriber(SubscriberOptions(self.relay.endpoint)) as subscriber:
            with await self.accept(welcome() + message("a")):
                self.assertEqual([Message(1, 1, b"a")], await subscriber.batch())

    async def test_token_over_a_link_in_the_clear(self) -> None:
        class Far(OtherTransport):
            def get_extra_info(self, _name: str) -> tuple:
                return ("10.0.0.1", 7400)

        self.makes(Far)
        async with aio.Subscriber(SubscriberOptions(self.relay.endpoint, token="hush")) as subscriber:
            with self.assertRaisesRegex(ConnectionFailed, "would go to 10.0.0.1 .* in the clear") as caught:
                await subscriber.batch()
        self.assertEqual("fatal", caught.exception.kind)
        with self.relay.accept_plain() as connection:
            self.assertEqual(b"", connection.recv(1))

    def makes(self, other: Any) -> None:
        """From here on the loop makes such transports."""
        loop: Any = self.loop
        create = loop.create_connection

        async def create_connection(factory: Any, **rest: Any) -> Any:
            def make() -> Any:
                protocol = factory()
                made = protocol.connection_made
                protocol.connection_made = lambda transport: made(other(transport))
                return protocol

            return await create(make, **rest)

        loop.create_connection = create_connection

    async def test_fault_in_a_callback_ends_the_client(self) -> None:
        def fault(*_: Any) -> Any:
            raise LookupError("a fault of this library")

        for where in ("connect", "frames"):
            with self.subTest(where):
                events: list = []
                options = PublisherOptions(self.relay.endpoint, on_event=events.append)
                async with aio.Publisher(options) as publisher:
                    setattr(publisher._core, where, fault)
                    publisher.offer(1, b"a")
                    accepted = self.loop.run_in_executor(None, self.relay.accept_plain)
                    with await accepted as connection:
                        with contextlib.suppress(ConnectionError):
                            connection.sendall(welcome(features=0))
                        with self.assertRaisesRegex(NotDone, "a fault of this library"):
                            await publisher.flush(HANG)
                    await publisher.close()
                self.assertIsInstance(events[-1], GaveUp)
                self.assertEqual("fatal", events[-1].error.kind)
        async with aio.Subscriber(SubscriberOptions(self.relay.endpoint)) as subscriber:
            subscriber._session._session._connect = fault  # type: ignore[method-assign]
            with self.assertRaisesRegex(ConnectionFailed, "a fault of this library"):
                await subscriber.connected()

    async def test_close_at_any_moment(self) -> None:
        await self.close_at_any_moment()

    async def test_close_at_any_moment_of_a_failed_try(self) -> None:
        self.relay.close()
        await self.close_at_any_moment()

    async def close_at_any_moment(self) -> None:
        for turns in range(30):
            subscriber = aio.Subscriber(SubscriberOptions(self.relay.endpoint, reconnect=SOON))
            for _ in range(turns):
                await asyncio.sleep(0)
            await asyncio.wait_for(subscriber.close(), HANG)
        gc.collect()
        self.assertEqual(1, len(asyncio.all_tasks()))


if __name__ == "__main__":
    unittest.main()

"""Programs that end without closing their clients, and programs that fork."""

import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_clients import HANG, FakeRelay
from test_core import ack, message, pong, welcome

import msgrelay
from msgrelay import _wire

HEAD = """
import asyncio, os, sys
from msgrelay import PublisherOptions, Reconnect, SubscriberOptions, UsageError, aio, threads

here = sys.argv[1]
def options(**more):
    return PublisherOptions(here, **{"name": "x", "acks": True, "on_event": lambda event: None, **more})
"""


class Program:
    """A Python program with this library, and the endpoint of a relay as its argument."""

    def __init__(self, test: unittest.TestCase, relay: FakeRelay, code: str) -> None:
        env = {**os.environ, "PYTHONPATH": str(Path(msgrelay.__file__).parents[1])}
        self._process = subprocess.Popen(
            [sys.executable, "-c", HEAD + textwrap.dedent(code), relay.endpoint],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        test.addCleanup(self._process.wait)
        test.addCleanup(self._process.kill)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            test.addCleanup(pipe.close)

    def ended(self) -> tuple:
        """Exit code, what it has written to stdout, and to stderr."""
        out, err = self._process.communicate(timeout=2 * HANG)
        return self._process.returncode, out, err


class ProcessTest(unittest.TestCase):
    def setUp(self) -> None:
        self.relay = FakeRelay()
        self.addCleanup(self.relay.close)

    def program(self, code: str) -> Program:
        return Program(self, self.relay, code)


class EndTest(ProcessTest):
    THREE = """
        publisher = threads.Publisher(options(close_timeout={seconds}))
        for body in (b"a", b"b", b"c"):
            publisher.publish(1, body)
        """

    def test_end_without_close_settles(self) -> None:
        program = self.program(self.THREE.format(seconds=HANG))
        with self.relay.accept(welcome()) as connection:
            self.relay.expect(connection, message("a"), message("b"), message("c"))
            connection.sendall(ack(3))
            self.assertEqual((0, "", ""), program.ended())

    def test_several_settle_at_the_same_time(self) -> None:
        program = self.program(self.THREE.format(seconds=HANG) * 2)
        connections = [self.relay.accept(welcome()) for _ in range(2)]
        for connection in connections:
            self.relay.expect(connection, message("a"), message("b"), message("c"))
        for connection in connections:
            connection.sendall(ack(3))
        self.assertEqual((0, "", ""), program.ended())
        for connection in connections:
            connection.close()

    def test_end_without_close_confirms(self) -> None:
        program = self.program(
            f"""
            publisher = threads.Publisher(options(acks=False, close_timeout={HANG}))
            publisher.publish(1, b"a")
            """
        )
        with self.relay.accept(welcome(features=0)) as connection:
            self.relay.expect(connection, message("a"))
            type_, body = self.relay.read_frame(connection)
            self.assertEqual(_wire.PING, type_)
            connection.sendall(pong(_wire.decode_ping(body)[0]))
            self.assertEqual((0, "", ""), program.ended())

    def test_end_without_close_tells_what_is_left(self) -> None:
        program = self.program(self.THREE.format(seconds=3))
        with self.relay.accept(welcome()) as connection:
            self.relay.expect(connection, message("a"), message("b"), message("c"))
            connection.sendall(ack(1))
            said = "a publisher ends before all is done: 3 published, 2 not acknowledged\n"
            self.assertEqual((0, "", said), program.ended())

    def test_no_other_connection_is_made(self) -> None:
        program = self.program(self.THREE.format(seconds=HANG))
        with self.relay.accept(welcome()) as connection:
            self.relay.expect(connection, message("a"), message("b"), message("c"))
        code, out, err = program.ended()
        self.assertEqual((0, ""), (code, out))
        self.assertIn("3 published, 3 not acknowledged: the relay at", err)

    def test_nobody_listens(self) -> None:
        self.relay.close()
        code, _, err = self.program(self.THREE.format(seconds=HANG)).ended()
        self.assertEqual(0, code)
        self.assertIn("3 published, 3 not acknowledged", err)

    def test_closed_in_order(self) -> None:
        program = self.program("with threads.Publisher(options()) as publisher: publisher.connected()")
        with self.relay.accept(welcome()):
            self.assertEqual((0, "", ""), program.ended())

    def test_asyncio(self) -> None:
        asynchronous = """
            async def main():
                global publisher
                publisher = aio.Publisher(options())
                await publisher.publish(1, b"a")
                await publisher.connected()
            """
        for end in ("asyncio.run(main())", "loop = asyncio.new_event_loop(); loop.run_until_complete(main())"):
            with self.subTest(end):
                program = self.program(asynchronous + end)
                with self.relay.accept(welcome()):
                    code, _, err = program.ended()
                self.assertEqual(0, code)
                self.assertEqual(
                    1, err.count("a publisher ends before all is done: 1 published, 1 not acknowledged\n"), err
                )


@unittest.skipUnless(hasattr(os, "fork"), "no fork here")
class ForkTest(ProcessTest):
    def test_threads(self) -> None:
        program = self.program(
            """
            publisher = threads.Publisher(options())
            subscriber = threads.Subscriber(SubscriberOptions(here, on_event=lambda event: None))
            publisher.connected()
            subscriber.connected()
            publisher.publish(1, b"before")
            next(subscriber)
            child = os.fork()
            if child == 0:
                for call in (
                    publisher.connected,
                    lambda: publisher.publish(1, b"child"),
                    publisher.flush,
                    subscriber.connected,
                    subscriber.batch,
                    lambda: next(subscriber),
                    lambda: subscriber.types([]),
                ):
                    try:
                        print(call(), flush=True)
                    except UsageError as e:
                        print(e, flush=True)
                for client in (publisher, subscriber):
                    made = client._session._session._socket
                    client.close()
                    client.close()
                    print(made.fileno(), flush=True)
                # The end of the interpreter, with all its hooks.
                sys.exit(3)
            print("child ended with", os.waitpid(child, 0)[1] >> 8, flush=True)
            publisher.publish(1, b"after")
            print(publisher.flush(), [m.body for m in (next(subscriber), next(subscriber))])
            print(publisher.close())
            subscriber.close()
            """
        )
        first = self.relay.accept_plain()
        second = self.relay.accept_plain()
        for connection in (first, second):
            connection.settimeout(HANG)
        hello = self.relay.read_frame(first)[1]
        self.relay.read_frame(second)
        publisher, subscriber = (first, second) if hello[4] == _wire.PUBLISHER else (second, first)
        with publisher, subscriber:
            publisher.sendall(welcome())
            subscriber.sendall(welcome() + message("one") + message("two"))
            self.relay.expect(publisher, message("before"), message("after"))
            publisher.sendall(ack(2))
            subscriber.sendall(message("three"))
            code, out, err = program.ended()
        foreign = "this client is that of the parent process: make another one behind fork\n"
        self.assertEqual(foreign * 7 + "-1\n" * 2 + "child ended with 3\nTrue [b'two', b'three']\n0\n", out)
        self.assertEqual(0, code, err)

    def test_asyncio(self) -> None:
        program = self.program(
            """
            async def main():
                publisher = aio.Publisher(options())
                await publisher.connected()
                await publisher.publish(1, b"before")
                child = os.fork()
                if child == 0:
                    async def call():
                        for call in (
                            publisher.connected,
                            lambda: publisher.publish(1, b"child"),
                            publisher.flush,
                        ):
                            try:
                                print(await call(), flush=True)
                            except UsageError as e:
                                print(e, flush=True)
                        print(await publisher.close(), flush=True)
                    coroutine = call()
                    try:
                        coroutine.send(None)
                    except StopIteration:
                        pass
                    os._exit(3)
                print("child ended with", os.waitpid(child, 0)[1] >> 8, flush=True)
                await publisher.publish(1, b"after")
                print(await publisher.flush(), await publisher.close())
            asyncio.run(main())
            """
        )
        with self.relay.accept(welcome()) as connection:
            self.relay.expect(connection, message("before"), message("after"))
            connection.sendall(ack(2))
            code, out, err = program.ended()
        foreign = "this client is that of the parent process: make another one behind fork\n"
        self.assertEqual(foreign * 3 + "0\nchild ended with 3\nTrue 0\n", out, err)
        self.assertEqual(0, code, err)


if __name__ == "__main__":
    unittest.main()

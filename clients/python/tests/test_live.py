"""A round trip with a real relay, if RELAY_SERVER_JAR names its jar."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from msgrelay import Message, PublisherOptions, SubscriberOptions, aio, threads

JAR = os.environ.get("RELAY_SERVER_JAR")


@unittest.skipUnless(JAR, "RELAY_SERVER_JAR names no relay-server.jar")
class LiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        where = cls.directory.name
        cls.publish, cls.subscribe = cls.relay(
            f"--journal={where}", f"--subscribe-socket={where}/subscribe", "--state=16m"
        )

    @classmethod
    def relay(cls, *arguments: str) -> tuple:
        """Starts a relay, and returns the endpoints for publishers and subscribers."""
        command = ["java", "-jar", str(JAR), "--publish-port=0", "--subscribe-port=0", "--admin=none", *arguments]
        relay = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        cls.addClassCleanup(relay.wait)
        cls.addClassCleanup(relay.kill)
        assert relay.stdout is not None
        cls.addClassCleanup(relay.stdout.close)
        said = ""
        while not (ports := re.search(r"publishers (127\.0\.0\.1:\d+).*subscribers (127\.0\.0\.1:\d+)", said)):
            line = relay.stdout.readline()
            assert line, f"the relay has ended: {said}"
            said += line
        return ports.groups()

    def test_threads(self) -> None:
        publishing = PublisherOptions(self.publish, name="threads", acks=True, level="written")
        with threads.Publisher(publishing) as publisher:
            for i in range(1000):
                publisher.publish(70, b"%d" % i)
            self.assertTrue(publisher.flush(60))
        with threads.Subscriber(SubscriberOptions(self.subscribe, start="earliest", types=[(70, 70)])) as subscriber:
            got: list = []
            while len(got) < 1000:
                got += subscriber.batch(60)
            self.assertEqual([b"%d" % i for i in range(1000)], [m.body for m in got])
            self.assertGreaterEqual(subscriber.types([(8, 8)], timeout=60), got[-1].sequence + 1)

    def test_asyncio_over_a_unix_socket(self) -> None:
        async def round_trip() -> None:
            endpoint = f"unix:{self.directory.name}/subscribe"
            async with aio.Subscriber(SubscriberOptions(endpoint, types=[(9, 9)])) as subscriber:
                await subscriber.connected()
                async with aio.Publisher(PublisherOptions(self.publish)) as publisher:
                    await publisher.publish(9, b"hello")
                async for item in subscriber:
                    assert isinstance(item, Message)
                    self.assertEqual((9, b"hello"), (item.type, item.body))
                    break

        asyncio.run(asyncio.wait_for(round_trip(), 60))

    def test_readme(self) -> None:
        readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
        code = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
        code = [c.replace("127.0.0.1:7400", self.subscribe).replace("127.0.0.1:7401", self.publish) for c in code]
        subscribing, viewing, publishing = code
        publisher = subprocess.run([sys.executable, "-c", publishing], capture_output=True, text=True, timeout=60)
        self.assertEqual("10 acknowledged\n", publisher.stdout, publisher.stderr)
        command = [sys.executable, "-u", "-c", subscribing]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as subscriber:
            self.addCleanup(subscriber.kill)
            assert subscriber.stdout is not None
            bodies = []
            while not bodies or "message 9" not in bodies[-1]:
                line = subscriber.stdout.readline()
                self.assertTrue(line, bodies)
                if line.split()[1] == "7":
                    bodies.append(line.split(" ", 2)[2])
            subscriber.kill()
            self.assertEqual([f"b'message {i}'\n" for i in range(10)], bodies)
        # The other tests' types are in the state, too.
        self.assertRegex(self.first_line(viewing), r"\b7: b'message 9'.*} whole: True\n$")

    def first_line(self, code: str) -> str:
        command = [sys.executable, "-u", "-c", code]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            self.addCleanup(program.kill)
            assert program.stdout is not None
            line = program.stdout.readline()
            program.kill()
            return line

    def test_readme_where_no_relay_is(self) -> None:
        readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            nowhere = f"127.0.0.1:{taken.getsockname()[1]}"
        for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL):
            code = re.sub(r"127\.0\.0\.1:740[01]", nowhere, code)
            with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as program:
                assert program.stderr is not None
                line = program.stderr.readline()
                ended = program.poll()
                program.kill()
            self.assertRegex(line, rf"^connect to {nowhere}: .*It is tried again; on_event tells more")
            self.assertIsNone(ended)
        self.assertIn("`connect to 127.0.0.1:7400: ... It is tried again; on_event tells more`", readme)

    def test_example_of_a_price_board(self) -> None:
        publish, subscribe = self.relay("--state=16m")
        example = Path(__file__).parents[1] / "examples/price_board.py"
        command = [sys.executable, str(example), subscribe]
        with subprocess.Popen([*command, f"--feed={publish}"], stdout=subprocess.PIPE, text=True) as fed:
            self.addCleanup(fed.kill)
            assert fed.stdout is not None
            while not re.match(r"AAA +\d+\.\d\d  BBB .*  whole, as of \d{3,}, ", line := fed.stdout.readline()):
                self.assertIn("  whole, as of ", line)
            # One that comes later has the board at once, without what was before.
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as late:
                self.addCleanup(late.kill)
                assert late.stdout is not None
                first = late.stdout.readline()
                self.assertRegex(first, r"  whole, as of \d+, [1-9]\d* passed over\n$")
                # Between two lines, too, prices are passed over.
                passed_over = int(first.split()[-3])
                self.assertTrue(any(int(late.stdout.readline().split()[-3]) > passed_over for _ in range(10)))
                late.kill()
            fed.kill()

    def test_example_of_cache_events(self) -> None:
        demo = self.demo(self.publish, self.subscribe)
        self.assertEqual(0, demo.returncode, demo.stderr)
        self.assertIn("knows every block of every worker", demo.stderr)
        self.assertIn(" 0 gaps, 0 events without", demo.stderr)

    def test_example_of_cache_events_without_a_journal(self) -> None:
        demo = self.demo(*self.relay())
        self.assertEqual(1, demo.returncode, demo.stderr)
        self.assertIn("keeps no journal", demo.stderr)
        self.assertLess(len(demo.stderr.splitlines()), 20)

    def demo(self, *relay: str) -> subprocess.CompletedProcess:
        example = Path(__file__).parents[1] / "examples/kv_events.py"
        state = Path(self.directory.name, f"router-{relay[0]}.json")
        command = [sys.executable, str(example), "demo", *relay, f"--state={state}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)


if __name__ == "__main__":
    unittest.main()

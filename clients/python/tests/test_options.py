"""What is refused before anything is sent."""

import os
import stat
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgrelay import FromSequence, FromState, FromTime, PublisherOptions, Reconnect, SubscriberOptions, Tls, UsageError
from msgrelay.options import Endpoint

HERE = "127.0.0.1:1"


class OptionsTest(unittest.TestCase):
    def refused(self, make: Any, *args: Any, **options: Any) -> None:
        with self.subTest(**options), self.assertRaises(UsageError) as caught:
            make(*args, **options)
        self.assertEqual("yours", caught.exception.kind)

    def test_endpoints(self) -> None:
        self.assertEqual(("::1", 5), (Endpoint.parse("[::1]:5").host, Endpoint.parse("[::1]:5").port))
        self.assertEqual("/a:b", Endpoint.parse("unix:/a:b").path)
        for text in ("", "host", "host:", ":1", "host:0", "host:65536", "host:+1", "::1:5", "unix:", "host:٣"):
            self.refused(Endpoint.parse, text)
        self.refused(SubscriberOptions, [])

    def test_subscriber(self) -> None:
        for options in (
            {"name": "n" * 256},
            {"name": "ü" * 128},
            {"name": "a\x1bb"},
            {"name": "\ud800"},
            {"token": ""},
            {"token": "t" * 256},
            {"heartbeat": 0.099},
            {"heartbeat": 3601},
            {"connect_timeout": 0},
            {"handshake_timeout": -1},
            {"max_body": (64 << 20) + 1},
            {"max_body": -1},
            {"types": [(1, 0)]},
            {"types": [(-(1 << 31), 0)]},
            {"types": [(1, 1)] * 1025},
            {"start": "yesterday"},
            {"start": FromSequence(0)},
            {"start": FromTime(0)},
            {"start": FromSequence(5, 7, [(8, 1)])},
            {"start": FromSequence(5, 7, [(7, 0)])},
            {"start": FromSequence(5, 7, [7])},
            {"start": FromSequence(5, 7, [(7, 1)] * 17)},
            {"start": FromState(-1)},
            {"start": FromState(1, 1 << 63)},
            {"policy": "newest"},
            {"level": "engraved"},
            {"plain": True, "name": "x"},
            {"plain": True, "types": [(1, 1)]},
            {"plain": True, "start": "earliest"},
            {"plain": True, "start": "state"},
            {"plain": True, "start": FromState(1)},
            {"interval": 0},
            {"interval": 0.0099},
            {"interval": 3600.1},
            {"interval": float("nan")},
            {"interval": 1, "policy": "skip"},
            {"plain": True, "interval": 1},
        ):
            self.refused(SubscriberOptions, HERE, **options)

    def test_interval(self) -> None:
        for policy in ("default", "latest"):
            for interval in (0.01, 3600):
                asked = SubscriberOptions(HERE, policy=policy, interval=interval)
                self.assertEqual("latest", asked.asked_policy)
                # The policy stays as the program has it, also once the interval is taken away.
                self.assertEqual(policy, asked.policy)
                self.assertEqual(policy, replace(asked, interval=None).asked_policy)
        for options, words in (
            ({"interval": 0.0099}, "interval in seconds 0.0099 is not within 0.01..3600.0"),
            ({"interval": 2, "policy": "disconnect"}, "an interval of 2 s needs the policy latest, not disconnect"),
        ):
            with self.assertRaisesRegex(UsageError, f"^{words}$"):
                SubscriberOptions(HERE, **options)

    def test_publisher(self) -> None:
        for options in (
            {"acks": True},
            {"acks": True, "name": "x", "plain": True},
            {"producer": bytes(16)},
            {"level": "forced"},
            {"acks": True, "name": "x", "producer": bytes(15)},
            {"acks": True, "name": "x", "first_number": -1},
            {"buffer": 1000},
            {"buffer": (1 << 30) + 1},
            {"close_timeout": 0},
        ):
            self.refused(PublisherOptions, HERE, **options)

    def test_send_buffer_holds_the_longest_frame(self) -> None:
        self.assertEqual((1 << 20) + 8, PublisherOptions(HERE, max_body=10).buffer)
        self.assertEqual((2 << 20) + 8, PublisherOptions(HERE, max_body=2 << 20).buffer)

    def test_reconnect(self) -> None:
        for options in ({"rounds": -1}, {"first": 0}, {"longest": 0.01}, {"jitter": 1.1}):
            self.refused(Reconnect, **options)

    def test_tls(self) -> None:
        self.refused(Tls, ca="/no/such/file")
        self.refused(Tls, certificate="only.pem")
        self.refused(SubscriberOptions, "unix:/tmp/x", tls=Tls())

    def test_secrets_are_not_printed(self) -> None:
        self.assertNotIn("hush", repr(SubscriberOptions(HERE, token="hush")))

    def test_producer_file(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "id")
            first = PublisherOptions(HERE, name="x", acks=True, producer_file=path)
            again = PublisherOptions(HERE, name="x", acks=True, producer_file=path)
            self.assertEqual(first.producer_id, again.producer_id)
            self.assertEqual(first.producer_id.hex() + "\n", path.read_text())
            self.assertEqual(0o600, stat.S_IMODE(path.stat().st_mode))
            self.assertEqual(["id"], os.listdir(directory))
            for content in ("", "no hex digits", "0" * 31, "0" * 33, "0" * 1000):
                path.write_text(content)
                self.refused(PublisherOptions, HERE, name="x", acks=True, producer_file=path)
            self.refused(PublisherOptions, HERE, name="x", acks=True, producer_file=Path(directory, "none", "id"))


if __name__ == "__main__":
    unittest.main()

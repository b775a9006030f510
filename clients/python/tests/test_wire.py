"""The test vectors of docs/protocol.md."""

import re
import unittest
from pathlib import Path

from msgrelay import _wire
from msgrelay.errors import RelayError

VECTORS = Path(__file__).resolve().parents[3] / "relay-protocol/src/test/resources/vectors"

DECODERS = {
    "welcome": _wire.decode_welcome,
    "ping": _wire.decode_ping,
    "pong": _wire.decode_pong,
    "sequence": _wire.decode_sequence,
    "gap": _wire.decode_gap,
    "ack": _wire.decode_ack,
    "error": _wire.decode_error,
    "goaway": _wire.decode_goaway,
    "subscribed": _wire.decode_subscribed,
    "retry": _wire.decode_retry_after,
}


def bytes_of(path: Path) -> bytes:
    lines = path.read_text(encoding="utf-8").splitlines()
    return bytes.fromhex("".join(re.sub("#.*", "", line) for line in lines))


def vectors(kind: str) -> list:
    found = [path for path in sorted(VECTORS.glob(f"{kind}-*.hex")) if path.stem.split("-")[1] in DECODERS]
    assert len(found) > 30, f"{len(found)} vectors in {VECTORS}"
    return found


@unittest.skipUnless(VECTORS.is_dir(), f"no {VECTORS}: the tests run outside of the repository")
class VectorsTest(unittest.TestCase):
    def test_good_frames_are_read(self) -> None:
        for path in vectors("good"):
            with self.subTest(path.stem):
                frame = bytes_of(path)
                self.assertEqual(len(frame) - 8, _wire.HEADER.unpack_from(frame)[1])
                DECODERS[path.stem.split("-")[1]](frame[8:])

    def test_bad_frames_are_refused(self) -> None:
        for path in vectors("bad"):
            with self.subTest(path.stem), self.assertRaises(RelayError) as caught:
                DECODERS[path.stem.split("-")[1]](bytes_of(path)[8:])
            self.assertEqual(12, caught.exception.code, path.stem)

    def test_values_of_good_frames(self) -> None:
        welcome = _wire.decode_welcome(bytes_of(VECTORS / "good-welcome-rolled-back.hex")[8:])
        self.assertTrue(welcome.epoch_changed and welcome.rolled_back)
        self.assertGreater(welcome.fork, 0)
        self.assertIsNone(welcome.interval_ms)
        welcome = _wire.decode_welcome(bytes_of(VECTORS / "good-welcome-interval-peer-epochs.hex")[8:])
        self.assertEqual(10, welcome.interval_ms)
        self.assertEqual((10, 12, 1), _wire.decode_gap(_wire._GAP.pack(10, 12, 1, 0, 0)))

    def test_hello_as_in_the_vectors(self) -> None:
        sequence = _wire.hello(
            _wire.SUBSCRIBER,
            start=_wire.FROM_SEQUENCE,
            features=_wire.SEQUENCES,
            epoch=0x1122334455667788,
            number=1000,
            ranges=[(100, 199)],
            client=b"audit",
        )
        # The example of docs/protocol.md, "Filters".
        expected = (
            "80000001 00000037 00010001 01000100 00000002 00000000 1122334455667788 00000000000003E8"
            "00010000 00000000 00000064 000000C7 0005 6175646974"
        )
        self.assertEqual(bytes.fromhex(expected.replace(" ", "")), sequence)
        newest = _wire.hello(
            _wire.SUBSCRIBER,
            policy=_wire.POLICIES.index("latest"),
            start=_wire.STATE,
            features=_wire.SEQUENCES | _wire.INTERVAL,
            client=b"audit",
            interval_ms=500,
        )
        self.assertEqual(bytes_of(VECTORS / "good-hello-interval.hex"), newest)
        everything = _wire.hello(
            _wire.SUBSCRIBER,
            policy=_wire.POLICIES.index("latest"),
            features=_wire.INTERVAL | _wire.LEVELS | _wire.TOKEN,
            client=b"audit",
            token=b"Zm9yIHRoZSB2ZWN0b3JzIG9ubHk",
            interval_ms=10,
        )
        self.assertEqual(bytes_of(VECTORS / "good-hello-interval-token-level.hex"), everything)
        minimal = bytes_of(VECTORS / "good-hello-publisher-minimal.hex")
        self.assertEqual(minimal, _wire.hello(_wire.PUBLISHER))

    def test_error_text_is_cut_between_characters(self) -> None:
        frame = _wire.error(12, "ü" * 600)
        self.assertEqual((12, "ü" * 256), _wire.decode_error(frame[8:]))


if __name__ == "__main__":
    unittest.main()

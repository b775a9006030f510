"""Tries and waits, without a clock."""

import unittest

from msgrelay._retry import FEW, Reconnector
from msgrelay.errors import Advice, ConnectionFailed, from_relay
from msgrelay.options import Endpoint, Reconnect

LOST = ConnectionFailed("lost")


def reconnector(*endpoints: str, uniform: float = 0.0, **policy: object) -> Reconnector:
    parsed = [Endpoint.parse(e) for e in endpoints or ("h:1",)]
    return Reconnector(parsed, Reconnect(**policy), lambda: uniform)  # type: ignore[arg-type]


class ReconnectorTest(unittest.TestCase):
    def test_waits_double_up_to_the_longest(self) -> None:
        retry = reconnector()
        self.assertEqual([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0], [retry.failed(LOST, 0.0) for _ in range(9)])

    def test_jitter_takes_a_share_off(self) -> None:
        self.assertEqual(0.05, reconnector(uniform=1.0).failed(LOST, 0.0))

    def test_slow_errors_wait_longest_at_once(self) -> None:
        self.assertEqual(10.0, reconnector().failed(from_relay(18, ""), 0.0))

    def test_a_told_time_takes_the_place_of_the_longest_wait(self) -> None:
        retry = reconnector()
        waits = []
        for told in (0.3, 0.3, 0.0):
            retry.retry_after(told)
            waits.append(retry.failed(from_relay(18, ""), 5.0))
        self.assertEqual([0.3, 0.3, 0.4], [round(wait, 6) for wait in waits if isinstance(wait, float)])
        self.assertEqual(10.0, retry.failed(from_relay(18, ""), 5.0))

    def test_a_told_time_gets_a_share_up_to_the_longest_wait(self) -> None:
        for told, expected in ((4.0, 6.0), (9.0, 10.0), (10.0, 10.0), (3600.0, 5.0)):
            retry = reconnector(uniform=1.0)
            retry.retry_after(told)
            self.assertEqual(expected, retry.failed(LOST, 0.0), told)

    def test_a_told_time_is_for_its_endpoint(self) -> None:
        retry = reconnector("a:1", "b:1")
        retry.retry_after(2.0)
        self.assertEqual(0.0, retry.failed(LOST, 0.0))
        self.assertEqual((1.5, "a:1"), (retry.failed(LOST, 0.5), retry.current.text))
        self.assertEqual((0.0, "b:1"), (retry.failed(LOST, 2.0), retry.current.text))

    def test_few_tries(self) -> None:
        retry = reconnector()
        hope = ConnectionFailed("perhaps", Advice.FEW)
        waits = [retry.failed(hope, 0.0) for _ in range(FEW + 1)]
        self.assertTrue(all(isinstance(w, float) for w in waits[:FEW]))
        self.assertIs(hope, waits[FEW])

    def test_rounds_are_used_up(self) -> None:
        retry = reconnector("a:1", "b:1", rounds=1)
        waits = [retry.failed(LOST, 0.0) for _ in range(4)]
        self.assertEqual([0.0, 0.1, 0.0, LOST], waits)

    def test_no_rounds_one_try(self) -> None:
        self.assertIs(LOST, reconnector(rounds=0).failed(LOST, 0.0))

    def test_stop_at_once(self) -> None:
        end = from_relay(28, "")
        self.assertIs(end, reconnector().failed(end, 0.0))

    def test_count_starts_again_after_a_steady_connection(self) -> None:
        retry = reconnector()
        for _ in range(5):
            retry.failed(LOST, 0.0)
        retry.welcomed(100.0)
        retry.progressed(111.0)
        self.assertEqual(0.1, retry.failed(LOST, 0.0))

    def test_same_endpoint_after_a_connection_that_worked(self) -> None:
        retry = reconnector("a:1", "b:1")
        retry.welcomed(0.0)
        retry.progressed(1.0)
        retry.failed(LOST, 0.0)
        self.assertEqual("a:1", retry.current.text)
        retry.failed(LOST, 0.0)
        self.assertEqual("b:1", retry.current.text)

    def test_next_endpoint_after_goaway(self) -> None:
        for code, expected in ((10, "b:1"), (33, "a:1")):
            retry = reconnector("a:1", "b:1")
            retry.welcomed(0.0)
            retry.progressed(1.0)
            retry.leaving(code)
            retry.failed(LOST, 0.0)
            self.assertEqual(expected, retry.current.text)

    def test_three_ends_before_any_welcome(self) -> None:
        retry = reconnector()
        end = ConnectionFailed("end", unanswered=True)
        self.assertIs(end, retry.explained(end))
        self.assertIs(LOST, retry.explained(LOST))
        self.assertIs(end, retry.explained(end))
        self.assertIs(end, retry.explained(end))
        for ends in (3, 4):
            guess = retry.explained(end)
            self.assertEqual(("retry", Advice.AGAIN), (guess.kind, guess.advice))
            self.assertIn(f"end; {ends} in a row before any WELCOME", str(guess))
            self.assertIn("plain=True", str(guess))
            self.assertIsInstance(retry.failed(guess, 0.0), float)

    def test_ends_before_a_later_welcome_are_no_sign(self) -> None:
        retry = reconnector()
        end = ConnectionFailed("end", unanswered=True)
        retry.welcomed(0.0)
        for _ in range(5):
            self.assertIs(end, retry.explained(end))


if __name__ == "__main__":
    unittest.main()

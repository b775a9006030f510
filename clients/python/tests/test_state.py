"""Start = state: what the core asks for and tells."""

import random
import struct
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from test_core import gap, message, ping, subscriber, welcome

from msgrelay import _wire
from msgrelay._core import SubscriberCore, covers
from msgrelay.errors import AskAgain, ConnectionFailed
from msgrelay.events import SUPERSEDED, AtPing, Connected, Gap, Message, RolledBack, StateComplete, StreamChanged
from msgrelay.options import FromState

EVERY = ((-(1 << 31) + 256, (1 << 31) - 1),)


def asked(hello: bytes) -> tuple:
    """Start, epoch and number of a HELLO."""
    return hello[8 + 6], *struct.unpack_from(">qq", hello, 8 + 16)


def is_within(type_: int, ranges: Any) -> bool:
    return any(first <= type_ <= last for first, last in ranges or EVERY)


class CoversTest(unittest.TestCase):
    def test_ranges(self) -> None:
        for types, others, expected in (
            ((), (), True),
            ((), ((1, 5),), True),
            (((1, 5),), (), False),
            (EVERY, (), True),
            (((1, 5),), ((2, 4),), True),
            (((1, 5),), ((2, 6),), False),
            (((6, 9), (1, 5)), ((2, 8),), True),
            (((7, 9), (1, 5)), ((2, 8),), False),
            (((1, 9), (2, 3)), ((8, 9),), True),
        ):
            with self.subTest(types=types, others=others):
                self.assertIs(expected, covers(types, others))

    def test_random_ranges(self) -> None:
        seed = random.getrandbits(32)
        chance = random.Random(seed)
        for _ in range(2000):
            types, others = (
                [(a, a + chance.randrange(4)) for a in (chance.randrange(20) for _ in range(chance.randint(1, 4)))]
                for _ in range(2)
            )
            expected = all(is_within(t, types) for t in range(30) if is_within(t, others))
            self.assertIs(expected, covers(types, others), f"seed {seed}: {types} {others}")


class CoreTest(unittest.TestCase):
    def items(self, core: SubscriberCore, data: bytes) -> list:
        core.link.receive(data)
        batch = core.batch()
        return batch.items if batch else []

    def test_state_and_then_the_stream(self) -> None:
        told: list = []
        core = subscriber(start="state", on_event=told.append)
        self.assertEqual((_wire.STATE, 0, 0), asked(core.connect("here")[1]))
        frames = (
            welcome(1, features=_wire.SEQUENCES)
            + gap(1, 3, SUPERSEDED)
            + message("four")
            + ping(1, 5, 9)
            + message("five", 2)
            + gap(6, 9, SUPERSEDED)
            + ping(2, 10, 9)
            + message("ten")
            + ping(3, 11, 12)
        )
        begun = Connected("here", epoch=7, next=1, policy="disconnect", anew=True)
        expected = [
            begun,
            Gap(1, 3, SUPERSEDED),
            Message(4, 1, b"four"),
            Message(5, 2, b"five"),
            Gap(6, 9, SUPERSEDED),
            StateComplete(10, 9),
            Message(10, 1, b"ten"),
            AtPing(11, 12),
        ]
        got: list = []
        for at in range(len(frames)):
            got += self.items(core, frames[at : at + 1])
        self.assertEqual(expected, got)
        self.assertEqual([begun, expected[1], expected[4], expected[5]], told)
        self.assertFalse(core.awaits_state)

    def test_empty_stream_is_complete_at_once(self) -> None:
        core = subscriber(start="state")
        core.connect("here")
        items = self.items(core, welcome() + ping(1, 1, 0) + ping(2, 1, 0))
        self.assertEqual([StateComplete(1, 0), AtPing(1, 0)], items[1:])

    def test_ping_without_a_place(self) -> None:
        core = subscriber(start="state")
        core.connect("here")
        self.assertEqual(1, len(self.items(core, welcome() + ping(1, 0, 0))))

    def connected(self, core: SubscriberCore, data: bytes) -> tuple:
        """What a new connection asks for, and its ``anew``."""
        _, hello = core.connect("here")
        connected = [item for item in self.items(core, data) if isinstance(item, Connected)]
        return (*asked(hello), connected[0].anew)

    def test_goes_on_where_it_was(self) -> None:
        core = subscriber(start="state")
        self.connected(core, welcome(1) + gap(1, 8, SUPERSEDED) + message("nine"))
        self.assertEqual((_wire.STATE, 7, 10, False), self.connected(core, welcome(10)))
        self.assertTrue(core.awaits_state)
        self.assertEqual(
            [Gap(10, 19, SUPERSEDED), StateComplete(20, 19)],
            self.items(core, gap(10, 19, SUPERSEDED) + ping(1, 20, 19)),
        )

    def test_cut_state_in_another_life(self) -> None:
        for end, is_complete in ((b"", False), (ping(1, 3, 4), False), (ping(1, 3, 2), True)):
            with self.subTest(end=end):
                told: list = []
                core = subscriber(start="state", on_event=told.append)
                self.connected(core, welcome(1) + gap(1, 1, SUPERSEDED) + message("b") + end)
                # In the same life the number is enough.
                self.assertEqual((_wire.STATE, 7, 3, False), self.connected(core, welcome(3)))
                told.clear()
                if is_complete:
                    self.assertEqual((_wire.STATE, 7, 3, False), self.connected(core, welcome(3, epoch=8)))
                    continue
                core.connect("here")
                with self.assertRaisesRegex(AskAgain, "was cut"):
                    core.link.receive(welcome(3, epoch=8) + ping(1, 3, 2))
                self.assertEqual(([], None), (told, core.batch()))
                # The next connection is lost before WELCOME.
                core.connect("here")
                self.assertEqual((_wire.STATE, 7, 0, True), self.connected(core, welcome(1, epoch=8) + ping(1, 1, 0)))
                # What was passed over before is forgotten.
                self.assertEqual((_wire.STATE, 8, 1, True), self.connected(core, welcome(1, epoch=9)))

    def test_ping_in_a_cut_state_is_no_place_at_which_all_is_known(self) -> None:
        core = subscriber(start="state")
        self.connected(core, welcome(1) + gap(1, 1, SUPERSEDED) + message("b"))
        core.connect("here")
        items = self.items(
            core, welcome(3) + ping(1, 3, 4) + message("c") + ping(2, 4, 4) + message("d") + ping(3, 5, 4)
        )
        self.assertEqual([Message(3, 1, b"c"), Message(4, 1, b"d"), StateComplete(5, 4)], items[1:])

    def test_whole_state_is_always_anew(self) -> None:
        core = subscriber(start="state")
        self.assertEqual((_wire.STATE, 0, 0, True), self.connected(core, welcome()))
        self.assertEqual((_wire.STATE, 7, 1, True), self.connected(core, welcome()))

    def test_place_that_the_program_has_kept(self) -> None:
        core = subscriber(start=FromState(20, 7))
        self.assertEqual((_wire.STATE, 7, 20, False), self.connected(core, welcome(20)))
        core = subscriber(start=FromState(20, 6))
        self.assertEqual((_wire.STATE, 6, 20, True), self.connected(core, welcome(flags=1)))
        for all_of_it in (0, 1):
            core = subscriber(start=FromState(all_of_it, 7))
            self.assertEqual((_wire.STATE, 7, all_of_it, True), self.connected(core, welcome()))

    def test_another_stream(self) -> None:
        rows = ((8, 5), (7, 1))
        for flags, fork, told in ((1, 0, StreamChanged(4)), (3, 2, RolledBack(2, 3))):
            with self.subTest(flags=flags):
                core = subscriber(start="state")
                self.connected(core, welcome(epochs=rows[1:]) + message("a") * 3)
                core.connect("here")
                # An epoch in common makes no other connection.
                items = self.items(core, welcome(1, epoch=9, flags=flags, fork=fork, epochs=((9, 1), *rows)))
                self.assertEqual([told, True], [items[0], items[1].anew])
                self.assertEqual([Message(1, 1, b"x")], self.items(core, message("x")))
                self.assertEqual((9, 2), (core.epoch, core.next))

    def test_older_backup_makes_no_other_connection(self) -> None:
        core = subscriber(start="state")
        self.connected(core, welcome(epoch=8, epochs=((8, 3), (7, 1))) + message("a") * 5)
        core.connect("here")
        items = self.items(core, welcome(1, epoch=9, flags=1, epochs=((9, 3), (7, 1))))
        self.assertEqual(StreamChanged(6), items[0])

    def test_wider_types_begin_anew(self) -> None:
        core = subscriber(start="state", types=[(1, 5)])
        self.connected(core, welcome(1) + message("a", 1) + message("b", 1))
        self.change(core, [(2, 3)])
        self.assertEqual((_wire.STATE, 7, 3, False), self.connected(core, welcome(3) + message("c", 2)))
        self.change(core, [(2, 4)])
        self.change(core, [(2, 3)])
        self.assertEqual((_wire.STATE, 7, 0, True), self.connected(core, welcome(1) + message("d", 3)))
        self.assertEqual((_wire.STATE, 7, 2, False), self.connected(core, welcome(2)))

    def test_wider_types_whose_answer_a_cut_met(self) -> None:
        core = subscriber(start="state", types=[(1, 5)])
        self.connected(core, welcome(1) + message("a") + message("b"))
        answers: list = []
        core.change([(1, 9)], answers.append)
        core.requests()
        # A connection before which nothing came forgets nothing either.
        core.connect("here")
        self.assertEqual((_wire.STATE, 7, 0, True), self.connected(core, welcome(1)))
        self.assertEqual([1], answers)

    def change(self, core: SubscriberCore, types: list) -> None:
        answers: list = []
        core.change(types, answers.append)
        core.requests()
        request = core._sent[0].request
        core.link.receive(_wire.frame(_wire.SUBSCRIBED, struct.pack(">iiq", request, 0, core.next)))
        core.batch()
        self.assertEqual([core.next], answers)

    def test_interval(self) -> None:
        told: list = []
        core = subscriber(interval=0.5, on_event=told.append)
        # Each connection asks for it: granted, a longer one, and not by a relay that does not know it.
        for granted in (500, 60_000, 0):
            _, hello = core.connect("here")
            features, (wanted,) = struct.unpack_from(">I", hello, 16)[0], struct.unpack(">I", hello[-4:])
            self.assertEqual((5, _wire.INTERVAL, 500), (hello[8 + 5], features & _wire.INTERVAL, wanted))
            self.items(core, welcome(core.next or 1, interval_ms=granted))
            self.assertEqual(granted / 1000 or None, told[-1].interval)
        for options in ({}, {"policy": "latest"}):
            core = subscriber(on_event=told.append, **options)
            _, hello = core.connect("here")
            self.assertEqual(0, struct.unpack_from(">I", hello, 16)[0] & _wire.INTERVAL)
            # Whatever the relay grants, it tells nothing that this client has to do.
            self.assertEqual([Message(1, 1, b"a")], self.items(core, welcome(interval_ms=10) + message("a")))
            self.assertEqual(0.01, told[-1].interval)

    def test_only_changes_come_with_an_interval(self) -> None:
        core = subscriber(start="state", interval=0.5)
        core.connect("here")
        frames = (
            welcome(interval_ms=500)
            + gap(1, 3, SUPERSEDED)
            + message("four")
            + ping(1, 5, 4)
            # A heartbeat between: the stream has gone on, this subscriber has not.
            + ping(2, 5, 9)
            + gap(5, 8, SUPERSEDED)
            + message("nine")
            + ping(3, 10, 9)
            # Nothing of its types.
            + gap(10, 12, SUPERSEDED)
            + ping(4, 13, 12)
        )
        expected = [
            Gap(1, 3, SUPERSEDED),
            Message(4, 1, b"four"),
            StateComplete(5, 4),
            AtPing(5, 9),
            Gap(5, 8, SUPERSEDED),
            Message(9, 1, b"nine"),
            AtPing(10, 9),
            Gap(10, 12, SUPERSEDED),
            AtPing(13, 12),
        ]
        items = [item for at in range(len(frames)) for item in self.items(core, frames[at : at + 1])]
        self.assertEqual(expected, items[1:])
        self.assertEqual(13, core.next)

    def test_older_relay(self) -> None:
        for options, words in (
            ({"start": "state"}, "this relay is older than start = state: .*MALFORMED_CONTROL.*start 4 is not"),
            ({"policy": "latest"}, "this relay is older than policy = latest: .*start 4 is not"),
            ({"interval": 1}, "this relay is older than policy = latest: .*start 4 is not"),
            ({}, "^the relay: MALFORMED"),
        ):
            with self.subTest(**options), self.assertRaisesRegex(ConnectionFailed, words) as caught:
                subscriber(**options).connect("here")[0].receive(_wire.error(12, "start 4 is not within 0..3"))
            self.assertEqual(("fatal", 12), (caught.exception.kind, caught.exception.code))

    def test_other_errors_are_as_they_were(self) -> None:
        core = subscriber(start="state")
        with self.assertRaisesRegex(ConnectionFailed, "^the relay: UNSUPPORTED"):
            core.connect("here")[0].receive(_wire.error(13, "no --state"))
        core = subscriber(start="state")
        link, _ = core.connect("here")
        with self.assertRaisesRegex(ConnectionFailed, "^the relay: MALFORMED"):
            link.receive(welcome() + _wire.error(12, "SUBSCRIBE"))


if __name__ == "__main__":
    unittest.main()

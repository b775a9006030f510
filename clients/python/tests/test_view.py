"""The view of the state: against a model of a relay's stream, and item by item."""

import random
import struct
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from test_core import gap, ping, subscriber, welcome
from test_state import asked, is_within

from msgrelay import _wire
from msgrelay.errors import UsageError
from msgrelay.events import NOT_HELD, SUPERSEDED, AtPing, Connected, Gap, Message, StateComplete
from msgrelay.view import TYPE_SIZE, StateView


class Stream:
    """A relay's stream, what start = state gives of it, and what it was at each place."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.epoch = 1
        self.messages: list = []

    def publish(self, most: int) -> None:
        for _ in range(self._chance.randrange(most)):
            body = b"" if self._chance.random() < 0.2 else b"%d" % self._chance.getrandbits(32)
            self.messages.append((self._chance.randrange(12), body))

    @property
    def head(self) -> int:
        return len(self.messages)

    def at(self, following: int, ranges: Any) -> dict:
        """The newest bodies below this sequence."""
        newest = {t: body for t, body in self.messages[: following - 1] if is_within(t, ranges)}
        return {t: body for t, body in newest.items() if body}

    def answer(self, hello: bytes) -> "Answer":
        start, epoch, number = asked(hello)
        assert start == _wire.STATE
        (count,) = struct.unpack_from(">H", hello, 8 + 32)
        ranges = [struct.unpack_from(">ii", hello, 8 + 36 + 8 * i) for i in range(count)]
        changed = epoch not in (0, self.epoch)
        return Answer(self, self._chance, ranges, 1 if changed or number <= 1 else number, changed)


class Answer:
    """The bytes of one connection, in steps between which the stream goes on."""

    def __init__(self, stream: Stream, chance: random.Random, ranges: Any, following: int, changed: bool) -> None:
        self._stream = stream
        self._chance = chance
        self.ranges = ranges
        self._next = following
        self._is_walking = True
        self.first = welcome(following, epoch=stream.epoch, flags=1 if changed else 0)
        if following <= stream.head and chance.random() < 0.5:
            self.first += self._ping()

    def _ping(self) -> bytes:
        return ping(self._next, self._next, self._stream.head)

    def _chosen(self, n: int) -> bool:
        return is_within(self._stream.messages[n - 1][0], self.ranges)

    def subscribed(self, request: int, ranges: Any) -> bytes:
        """The answer to a change of types."""
        self.ranges = ranges
        return _wire.frame(_wire.SUBSCRIBED, struct.pack(">iiq", request, 0, self._next))

    def step(self) -> bytes:
        return self._walk() if self._is_walking else self._go_on()

    def _walk(self) -> bytes:
        stream, out = self._stream, b""
        newest = {t: n for n, (t, _) in enumerate(stream.messages, 1)}
        due = sorted(n for n in newest.values() if n >= self._next and self._chosen(n))
        few = self._chance.randrange(len(due) + 2)
        for n in due[:few]:
            if n > self._next:
                out += gap(self._next, n - 1, SUPERSEDED)
            out += _wire.frame(stream.messages[n - 1][0], stream.messages[n - 1][1])
            self._next = n + 1
        if few >= len(due):
            if self._next <= stream.head:
                out += gap(self._next, stream.head, SUPERSEDED)
            self._next = stream.head + 1
            self._is_walking = False
            out += self._ping()
        return out

    def _go_on(self) -> bytes:
        stream, out = self._stream, b""
        while self._next <= stream.head and self._chance.random() < 0.9:
            n = self._next
            if self._chosen(n):
                out += _wire.frame(stream.messages[n - 1][0], stream.messages[n - 1][1])
            elif n == stream.head or self._chosen(n + 1):
                out += _wire.frame(_wire.SEQUENCE, struct.pack(">q", n + 1))
            self._next = n + 1
        # Where messages were left out, SEQUENCE or PING says so.
        return out + self._ping()


class ViewAndStreamTest(unittest.TestCase):
    def test_view_at_each_ping_is_the_stream(self) -> None:
        """Random steps, chunks, cuts, tombstones, changes of types, and other streams."""
        seed = random.randrange(1 << 32)
        for run in range(seed, seed + 400):
            with self.subTest(seed=run):
                self.random_life(random.Random(run))

    def random_life(self, chance: random.Random) -> None:
        stream = Stream(chance)
        stream.publish(40)
        # What a program that goes by the callback alone has.
        shown: dict = {}
        view = StateView(lambda changed: shown.update((type_, view.get(type_)) for type_ in changed))
        core = subscriber(start="state", types=chance.choice(([], [(0, 6)], [(2, 3), (8, 30)])))
        # The view may lack older messages of types that a change has added, until it begins anew.
        whole_types: Any = core._holding
        for _ in range(chance.randint(1, 6)):
            link, hello = core.connect("here")
            answer = stream.answer(hello)
            waiting, asks = answer.first, False
            whole_types = self.both(whole_types, answer.ranges)
            life = chance.randrange(12)
            for _ in range(life):
                size = chance.choice((1, 1, 7, 100, 10_000))
                # The last bytes may be lost with the connection.
                for at in range(0, len(waiting), size):
                    link.receive(waiting[at : at + size])
                    for item in batch.items if (batch := core.batch()) else []:
                        if isinstance(item, Connected) and item.anew:
                            whole_types = tuple(answer.ranges)
                        view.take(item)
                        if isinstance(item, AtPing):
                            bodies = self.bodies(view)
                            expected = stream.at(item.next, whole_types)
                            self.assertEqual(expected, {t: b for t, b in bodies.items() if is_within(t, whole_types)})
                            self.assertEqual(bodies, {t: b for t, b in shown.items() if b is not None})
                            self.assertEqual((item.next, stream.epoch), (view.next, view.epoch))
                            self.assertTrue(view.whole())
                waiting = b""
                if asks and core._sent:
                    waiting += answer.subscribed(core._sent[0].request, core._sent[0].types)
                    # What is no longer chosen stays as it was.
                    whole_types = self.both(whole_types, answer.ranges)
                if chance.random() < 0.05:
                    core.change(chance.choice(([], [(0, 6)], [(3, 3)])), lambda _: None)
                    asks = bool(core.requests()) or asks
                stream.publish(20)
                waiting += answer.step()
            # Cut anywhere.
            if waiting:
                link.receive(waiting[: chance.randrange(len(waiting))])
                if batch := core.batch():
                    view.take(*(item for item in batch.items))
                    if any(isinstance(item, Connected) and item.anew for item in batch.items):
                        whole_types = tuple(answer.ranges)
            if chance.random() < 0.2:
                stream.epoch += 1
                stream.messages = []
                stream.publish(30)

    @staticmethod
    def both(types: Any, others: Any) -> Any:
        both = tuple((t, t) for t in range(12) if is_within(t, types) and is_within(t, others))
        return both or ((99, 99),)

    @staticmethod
    def bodies(view: StateView) -> dict:
        return {type_: view.get(type_) for type_ in view.types()}


BEGUN = Connected("here", epoch=7, next=1, anew=True)
GOES_ON = Connected("here", epoch=7, next=1, anew=False)


class StateViewTest(unittest.TestCase):
    def setUp(self) -> None:
        self.changes: list = []
        self.view = StateView(self.changes.append)

    def bodies(self) -> dict:
        return {type_: self.view.get(type_) for type_ in self.view.types()}

    def test_moves_at_pings(self) -> None:
        view = self.view
        view.take(BEGUN, Message(1, 1, b"a"), Message(2, 2, b"b"))
        self.assertEqual(({}, False, [], 0), (self.bodies(), view.whole(), self.changes, view.next))
        view.take(StateComplete(3, 2))
        self.assertEqual(({1: b"a", 2: b"b"}, True, 3, 7), (self.bodies(), view.whole(), view.next, view.epoch))
        view.take(Message(3, 1, b"c"))
        self.assertEqual(b"a", view.get(1))
        view.take(AtPing(4, 9), AtPing(4, 9))
        self.assertEqual(b"c", view.get(1))
        # An empty body removes the type.
        view.take(Message(4, 1, b""), AtPing(5, 9))
        self.assertEqual({2: b"b"}, self.bodies())
        self.assertEqual([{1, 2}, {1}, {1}], self.changes)

    def test_empty_state_is_told(self) -> None:
        self.view.take(BEGUN, StateComplete(1, 0))
        self.view.take(AtPing(1, 0))
        self.assertEqual(([set()], True), (self.changes, self.view.whole()))

    def test_what_is_gone_as_it_begins_anew_is_told(self) -> None:
        self.view.take(BEGUN, Message(1, 1, b"a"), Message(2, 2, b"b"), StateComplete(3, 2))
        self.view.take(BEGUN)
        self.assertEqual(({}, False, 0), (self.bodies(), self.view.whole(), self.view.next))
        self.view.take(Message(1, 2, b"b"), StateComplete(2, 1))
        self.assertEqual([{1, 2}, {1, 2}], self.changes)

    def test_what_is_passed_over_is_no_loss(self) -> None:
        view = self.view
        view.take(BEGUN, Gap(1, 8, SUPERSEDED), Message(9, 1, b"a"), Gap(10, 10, SUPERSEDED), StateComplete(11, 10))
        self.assertEqual((9, True), (view.superseded, view.whole()))
        view.take(Gap(11, 11, NOT_HELD), AtPing(12, 11))
        self.assertEqual((9, False), (view.superseded, view.whole()))
        view.take(GOES_ON, StateComplete(12, 11))
        self.assertFalse(view.whole())
        view.take(BEGUN, StateComplete(12, 11))
        self.assertTrue(view.whole())

    def test_place_that_was_kept_brings_no_whole_view(self) -> None:
        self.view.take(GOES_ON, Message(20, 1, b"a"), StateComplete(21, 20))
        self.assertEqual((False, b"a"), (self.view.whole(), self.view.get(1)))

    def test_stays_whole_while_a_cut_is_made_up_for(self) -> None:
        view = self.view
        view.take(BEGUN, Message(1, 1, b"a"), StateComplete(2, 1))
        view.take(Message(2, 1, b"b"), GOES_ON, Message(3, 2, b"c"))
        self.assertEqual(({1: b"a"}, True, 2), (self.bodies(), view.whole(), view.next))
        view.take(StateComplete(4, 3))
        self.assertEqual(({1: b"b", 2: b"c"}, True, 4), (self.bodies(), view.whole(), view.next))

    def test_limit(self) -> None:
        self.view = view = StateView(self.changes.append, limit=2 * TYPE_SIZE + 10)
        view.take(BEGUN, Message(1, 1, bytes(5)), Message(2, 2, bytes(5)))
        over = f"a view of {2 * TYPE_SIZE + 11} bytes is over its limit of {2 * TYPE_SIZE + 10}"
        with self.assertRaisesRegex(UsageError, over):
            view.take(Message(3, 2, bytes(6)), Message(4, 1, b"a"), StateComplete(5, 4))
        # All that fits is there.
        self.assertEqual(({1: b"a", 2: bytes(5)}, False), (self.bodies(), view.whole()))
        self.assertEqual([{1, 2}], self.changes)

    def test_a_full_view_takes_the_end_of_a_type(self) -> None:
        self.view = view = StateView(limit=2 * TYPE_SIZE + 10)
        view.take(BEGUN, Message(1, 1, bytes(5)), Message(2, 2, bytes(5)), StateComplete(3, 2))
        view.take(Message(3, 1, b""), AtPing(4, 3))
        self.assertEqual(({2: bytes(5)}, True), (self.bodies(), view.whole()))
        with self.assertRaises(UsageError):
            view.take(*(Message(4 + n, 10 + n, b"") for n in range(3)))

    def test_bytes_of_the_view_are_counted_exactly(self) -> None:
        seed = random.getrandbits(32)
        chance = random.Random(seed)
        view = StateView(limit=1 << 30)
        for n in range(3000):
            view.take(Message(n, chance.randrange(5), bytes(chance.choice((0, 0, 1, 100)))))
            if chance.random() < 0.3:
                view.take(AtPing(n + 1, n))
            if chance.random() < 0.01:
                view.take(BEGUN)
            held = [*view._bodies.values(), *view._coming.values()]
            self.assertEqual(sum(map(len, held)) + TYPE_SIZE * len(held), view._bytes, seed)

    def test_without_a_callback(self) -> None:
        view = StateView()
        view.take(BEGUN, Message(1, 1, b"a"), StateComplete(2, 1))
        self.assertEqual((b"a", set()), (view.get(1), view._changed))


if __name__ == "__main__":
    unittest.main()

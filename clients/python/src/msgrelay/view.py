"""What a subscriber with ``start="state"`` knows: of each type the newest message."""

from __future__ import annotations

from typing import Callable

from .errors import UsageError
from .events import SUPERSEDED, AtPing, Connected, Gap, Item, Message, StateComplete

# Bytes that a type counts beside its body.
TYPE_SIZE = 64


class StateView:
    """The newest body of each type, from the items of a subscriber with ``start="state"``::

        view = StateView(lambda changed: print(changed))
        for item in subscriber:
            view.take(item)

    The view moves at the relay's PINGs: one behind what each ``interval`` of the subscriber's options sends, without it
    one each ``heartbeat``. It is what the stream was at one place, ``next``, and not what came since. A message with an
    empty body removes its type. A type that the subscriber chooses no more stays as it was.

    One thread has the view. A body that waits for the next PING counts for the limit, too.
    """

    def __init__(self, on_change: Callable[[set[int]], None] | None = None, *, limit: int = 64 << 20) -> None:
        """``on_change`` gets the types that have another body now, or none; once the state is complete, and behind each
        later call of ``take`` in which there was a PING and something had changed. Its exception is one of ``take``.
        ``limit`` is for the bytes of the bodies, 64 more for each type."""
        self._on_change = on_change
        self._limit = limit
        self._bodies: dict[int, bytes] = {}
        # What has come since the last PING; an empty body removes the type.
        self._coming: dict[int, bytes] = {}
        self._bytes = 0
        self._changed: set[int] = set()
        self._coming_epoch = 0
        self._is_complete = False
        # A subscriber that goes on from a ``FromState`` does not bring all.
        self._has_lost = True
        self.epoch = 0
        """Epoch of ``next``."""
        self.next = 0
        """Sequence of the first message that the view does not know; 0: it knows nothing yet. With ``epoch`` for a
        ``FromState``."""
        self.superseded = 0
        """Number of messages that were passed over, since newer ones of their types followed, or for other types."""

    def get(self, type: int) -> bytes | None:
        """The newest body of a type; ``None``: the type has none."""
        return self._bodies.get(type)

    def types(self) -> list[int]:
        """The types that have a body, in no order."""
        return list(self._bodies)

    def whole(self) -> bool:
        """Whether all of the types is there that were chosen when the connection was made: the state was complete, and
        nothing of it was lost or left out since it last began anew. The state of types that are added while live comes
        with the next connection."""
        return self._is_complete and not self._has_lost

    def take(self, *items: Item) -> None:
        """Takes one or more items, in their order.

        :raises UsageError: the view would be over its limit. What does not fit is left out: the view is not whole until
            it begins anew
        """
        fault: UsageError | None = None
        tells = False
        for item in items:
            if type(item) is Message:
                try:
                    self._expect(item)
                except UsageError as e:
                    fault = fault or e
            elif isinstance(item, AtPing):
                self._is_complete |= isinstance(item, StateComplete)
                tells |= self._move(item)
            elif isinstance(item, Gap):
                if item.reason == SUPERSEDED:
                    self.superseded += item.to - item.from_ + 1
                else:
                    self._has_lost = True
            elif isinstance(item, Connected):
                self._begin(item)
        if tells and self._on_change is not None:
            changed, self._changed = self._changed, set()
            self._on_change(changed)
        if fault is not None:
            raise fault

    def _begin(self, connected: Connected) -> None:
        self._coming_epoch = connected.epoch
        if connected.anew:
            self._note(self._bodies)
            self._bodies.clear()
            self._coming.clear()
            self._bytes = self.next = 0
            self._is_complete = self._has_lost = False

    def _expect(self, message: Message) -> None:
        body = self._coming.get(message.type)
        size = self._bytes + len(message.body) + TYPE_SIZE - (0 if body is None else len(body) + TYPE_SIZE)
        # A tombstone of a type that is there takes room only until the PING, and gives more back.
        if size > self._limit and (message.body or message.type not in self._bodies):
            self._has_lost = True
            raise UsageError(f"a view of {size} bytes is over its limit of {self._limit}")
        self._bytes = size
        self._coming[message.type] = message.body

    def _move(self, ping: AtPing) -> bool:
        """The view as of this PING; whether it is to be told."""
        self._note(self._coming)
        for type_, body in self._coming.items():
            before = self._bodies.pop(type_, None)
            if before is not None:
                self._bytes -= len(before) + TYPE_SIZE
            if body:
                self._bodies[type_] = body
            else:
                self._bytes -= TYPE_SIZE
        self._coming.clear()
        self.next, self.epoch = ping.next, self._coming_epoch
        return bool(self._changed) or isinstance(ping, StateComplete)

    def _note(self, types: dict[int, bytes]) -> None:
        if self._on_change is not None:
            self._changed.update(types)

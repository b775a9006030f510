"""The place in the stream behind the last item that was handed over. Nothing is counted per message."""

from __future__ import annotations

from collections.abc import Iterator

from ._core import Batch
from ._io import SubscriberSession
from .events import AtPing, Gap, Item, Message


class Place:
    """The batch that is being handed over, and what was before. Owned by the thread that reads."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._batches: list[Batch] = []
        self.unread: Iterator[Item] = iter(())
        self._messages = 0
        self._bytes = 0

    def take(self, batches: list[Batch]) -> None:
        """Takes batches to hand over; those before are handed over."""
        self._messages += sum(1 for item in self._items if type(item) is Message)
        self._bytes += sum(batch.bytes for batch in self._batches)
        self._batches = batches
        self._items = batches[0].items if len(batches) == 1 else [item for batch in batches for item in batch.items]
        self.unread = iter(self._items)

    def all(self) -> list[Item]:
        """All items of these batches."""
        self.unread = iter(())
        return self._items

    def rest(self) -> list[Item]:
        """The items that an iteration has left."""
        return list(self.unread)

    def drop(self) -> None:
        """Frees the items."""
        self.take([])

    def _handed(self) -> int:
        return len(self._items) - self.unread.__length_hint__()  # type: ignore[attr-defined, no-any-return]

    @property
    def messages(self) -> int:
        return self._messages + sum(1 for item in self._items[: self._handed()] if type(item) is Message)

    @property
    def bytes(self) -> int:
        handed = self._items[: self._handed()]
        return self._bytes + sum(len(item.body) + 8 for item in handed if isinstance(item, Message))

    def at(self, session: SubscriberSession) -> tuple[int, int]:
        """Epoch and next sequence."""
        handed = self._handed()
        for batch in self._batches:
            if handed >= len(batch.items):
                handed -= len(batch.items)
                continue
            following = batch.start
            for item in batch.items[:handed]:
                if isinstance(item, Message) and item.sequence:
                    following = item.sequence + 1
                elif isinstance(item, Gap):
                    following = item.to + 1
                elif isinstance(item, AtPing):
                    following = item.next
            return batch.epoch, following
        pending = session.pending
        if pending:
            return pending[0].epoch, pending[0].start
        return session.core.epoch, session.core.next

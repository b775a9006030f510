"""What becomes of clients when their process forks, and when it ends without closing them."""

from __future__ import annotations

import atexit
import logging
import os
import time
from typing import Protocol

from .errors import NotDone, UsageError

log = logging.getLogger("msgrelay")

# Forks between this process and the one that loaded the module. A client works where it was made only: the child of a
# fork has its connection and event loop too, and what it does to them happens to the parent.
forks = 0


def _forked() -> None:
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def foreign() -> UsageError:
    return UsageError("this client is that of the parent process: make another one behind fork")


def check(made_at: int) -> None:
    """Refuses a call in the child of a fork. No lock is taken before: no thread of the child would give it back."""
    if made_at != forks:
        raise foreign()


class Unclosed(Protocol):
    """A publisher that was not closed."""

    _forks: int

    def _begin_end(self) -> float:
        """The program ends: begins to settle what can be settled; returns the longest time for it in seconds."""
        ...

    def _end(self, seconds: float) -> NotDone | None:
        """Waits so long; what is left."""
        ...


unclosed: set[Unclosed] = set()


def tell(left: NotDone) -> None:
    log.warning("a publisher ends before all is done: %s", left)


@atexit.register
def _end() -> None:
    mine = [one for one in unclosed if one._forks == forks]
    # All settle at the same time.
    ends = [(one, time.monotonic() + one._begin_end()) for one in mine]
    for one, until in ends:
        left = one._end(max(0.0, until - time.monotonic()))
        if left is not None:
            tell(left)

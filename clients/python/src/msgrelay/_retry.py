"""The next endpoint to connect to, and the wait before it. No clock: times are parameters, in seconds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Callable

from . import errors
from .errors import Advice, ConnectionFailed
from .options import Endpoint, Reconnect

# Ends before WELCOME in a row that say that the relay may know no HELLO; fewer may be a start or stop.
UNANSWERED = 3
# Failures in a row of a kind for which another try is only a hope.
FEW = 5
# Doublings after which every wait is the longest.
_MOST_DOUBLINGS = 30
_STEADY = 10.0


class Reconnector:
    """After a connection that worked the same endpoint comes first, since its relay holds the next messages. The next
    one's turn comes after GOAWAY, after a failed try, and if a relay cuts one connection after the other."""

    def __init__(
        self, endpoints: Sequence[Endpoint], policy: Reconnect, uniform: Callable[[], float] = random.random
    ) -> None:
        self._endpoints = endpoints
        self._policy = policy
        self._uniform = uniform
        self._steady_after = min(policy.longest, _STEADY)
        self._index = 0
        # The first round comes without a wait, and does not count as one of the policy's.
        self._beginning = True
        self._tries = 0
        self._hopes = 0
        self._welcomed_at = 0.0
        self._progressed = False
        self._steady = False
        self._short_lived = 0
        self._leaving = False
        # RETRY_AFTER of the present connection, in seconds, and the earliest times that follow, by endpoint.
        self._told: float | None = None
        self._not_before: dict[int, float] = {}
        self._ever_welcomed = False
        self._unanswered = 0
        # The first try has its place in the first round.
        self._wait(Advice.AGAIN)

    @property
    def current(self) -> Endpoint:
        """The endpoint that is connected, or next."""
        return self._endpoints[self._index]

    def welcomed(self, now: float) -> None:
        """Takes note of WELCOME, or of a plain connection."""
        self._ever_welcomed = True
        self._welcomed_at = now
        if self._beginning:
            self._beginning = False
            self._tries = 0

    def progressed(self, now: float) -> None:
        """Takes note of input behind WELCOME. The count starts anew only if the connection has lived for a while by
        then: a relay that welcomes, sends a message and closes would be tried for ever otherwise."""
        self._progressed = True
        if not self._steady and now - self._welcomed_at >= self._steady_after:
            self._steady = True
            self._short_lived = 0
            self._tries = 0
            self._hopes = 0

    def leaving(self, code: int) -> None:
        """Takes note of GOAWAY. If only the connection's TLS key is used up, the same endpoint comes next."""
        self._leaving = code != errors.TLS_KEY_USED_UP

    def retry_after(self, wait: float) -> None:
        """Takes note of RETRY_AFTER: the time counts from the end of the connection."""
        self._told = wait

    def explained(self, end: ConnectionFailed) -> ConnectionFailed:
        """The end with a guess at its cause, if relays keep on ending connections before any WELCOME."""
        self._unanswered = self._unanswered + 1 if end.unanswered else 0
        if self._ever_welcomed or self._unanswered < UNANSWERED:
            return end
        text = (
            f"{end}; {self._unanswered} in a row before any WELCOME: the relay may know no HELLO, then use plain=True"
        )
        return ConnectionFailed(text, end.advice, end.code)

    def failed(self, end: ConnectionFailed, now: float) -> float | ConnectionFailed:
        """Takes note of a failed try or a lost connection: the wait before the next try, or the reason to give up."""
        told, self._told = self._told, None
        if told is not None:
            self._not_before[self._index] = now + self._told_wait(told)
        self._short_lived = self._short_lived + 1 if self._progressed and not self._steady else 0
        if (
            not self._progressed
            or self._short_lived > 1
            or self._leaving
            or end.advice is not Advice.AGAIN
            or end.code == errors.SHUTDOWN
        ):
            self._index = (self._index + 1) % len(self._endpoints)
        self._progressed = self._steady = self._leaving = False
        wait = self._wait(end.advice, told is not None)
        return end if wait is None else max(wait, self._not_before.get(self._index, now) - now)

    def _told_wait(self, told: float) -> float:
        """The wait before the next try of an endpoint whose relay has told a time."""
        longest, share = self._policy.longest, self._policy.jitter * self._uniform()
        return longest * (1 - share) if told > longest else min(longest, told * (1 + share))

    def _wait(self, advice: Advice, told: bool = False) -> float | None:
        if advice is Advice.STOP:
            return None
        if advice.is_few:
            self._hopes += 1
            if self._hopes > FEW:
                return None
        policy = self._policy
        turn, place = divmod(self._tries, len(self._endpoints))
        turn -= self._beginning
        if policy.rounds is not None and turn >= policy.rounds:
            return None
        self._tries += 1
        if place or turn < 0:
            return 0.0
        # A time that the relay has told takes the place of the longest wait.
        slow = advice.is_slow and not told
        doublings = _MOST_DOUBLINGS if slow else min(turn, _MOST_DOUBLINGS)
        delay = policy.longest if slow else min(policy.longest, policy.first * (1 << doublings))
        return delay * (1 - policy.jitter * self._uniform())

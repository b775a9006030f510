"""What a connection needs before its first byte."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Sequence
from typing import Any, Callable

from ._local import SYSTEM, choose_congestion, is_to_this_host, leads_to_this_host
from .errors import UsageError
from .options import ConnectionOptions, Endpoint

# The next address of a name is tried this long after the one before it, in seconds: RFC 8305, section 8.
NEXT_ADDRESS = 0.25

# TCP's keep-alive: a peer that a cut cable hides is given up after 30 s. In seconds, but for the number of probes.
# Each platform has other names, if any; TCP_KEEPALIVE is the idle time of macOS.
KEEP_ALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPALIVE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
# The same for what a plain publisher has written, in ms: nothing else notices that it is not taken.
USER_TIMEOUT = 30_000

# As getaddrinfo gives them: family, kind, protocol, name, address.
Addresses = Sequence[tuple[Any, ...]]


async def connected_socket(
    endpoint: Endpoint, *, plain_publisher: bool, local_congestion: str = SYSTEM
) -> socket.socket:
    """A socket that is connected to an endpoint; the caller closes it. Not all event loops know how to race addresses,
    so it is done here, by the same rules on each."""
    if endpoint.path:
        return await _connect(socket.AF_UNIX, socket.SOCK_STREAM, 0, endpoint.path, SYSTEM)
    made = await _race(await _addresses(endpoint), local_congestion)
    # A route may have put a choice of its own in the place of ours.
    with contextlib.suppress(OSError):
        if is_to_this_host(made):
            choose_congestion(made, local_congestion)
    # What a platform does not know, it has its own values for.
    with contextlib.suppress(OSError):
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (*KEEP_ALIVE.items(), *([("TCP_USER_TIMEOUT", USER_TIMEOUT)] if plain_publisher else [])):
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


async def _addresses(endpoint: Endpoint) -> Addresses:
    where = endpoint.host, endpoint.port
    try:
        # Needs no thread of the loop's.
        return socket.getaddrinfo(*where, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        found = await asyncio.get_running_loop().getaddrinfo(*where, type=socket.SOCK_STREAM)
    # The families in turn: often one of them leads nowhere.
    first = [one for one in found if one[0] == found[0][0]]
    others = [one for one in found if one[0] != found[0][0]]
    inner = [one for pair in zip(first, others) for one in pair]
    return inner + first[len(others) :] + others[len(first) :]


async def _race(addresses: Addresses, local_congestion: str) -> socket.socket:
    """The first connection of several tries. Each begins 250 ms behind the one before it, or as soon as one has failed;
    the losers are closed."""
    loop = asyncio.get_running_loop()
    waiting = iter(addresses)
    tries: set[asyncio.Task[socket.socket]] = set()
    failures: list[OSError] = []
    winner: socket.socket | None = None
    try:
        while winner is None:
            address = next(waiting, None)
            if address is not None:
                family, kind, protocol, _, where = address
                tries.add(loop.create_task(_connect(family, kind, protocol, where, local_congestion)))
            elif not tries:
                texts = dict.fromkeys(map(str, failures))
                raise failures[0] if len(texts) == 1 else OSError("; ".join(texts))
            timeout = None if address is None else NEXT_ADDRESS
            done, _ = await asyncio.wait(tries, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                failure = one.exception()
                if failure is None and winner is None:
                    tries.discard(one)
                    winner = one.result()
                elif isinstance(failure, OSError):
                    tries.discard(one)
                    failures.append(failure)
                elif failure is not None:
                    raise failure
    finally:
        for one in tries:
            one.add_done_callback(_close)
            one.cancel()
        try:
            if tries:
                await asyncio.wait(tries)
        except BaseException:
            if winner is not None:
                winner.close()
            raise
    return winner


def _close(loser: asyncio.Task[socket.socket]) -> None:
    if not loser.cancelled() and loser.exception() is None:
        loser.result().close()


async def _connect(family: int, kind: int, protocol: int, address: Any, local_congestion: str) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        made.setblocking(False)
        # The choice comes before the connect, in which bbr would turn pacing on: that stays on when bbr goes.
        if local_congestion != SYSTEM and leads_to_this_host(family, address):
            choose_congestion(made, local_congestion)
        await asyncio.get_running_loop().sock_connect(made, address)
    except BaseException:
        made.close()
        raise
    return made


class TokenSource:
    """The token for each connection: a string, what a file holds, or what the user's function returns."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        # The call that is under way, perhaps since an earlier try: its token, or its exception.
        self._answer: asyncio.Future[object] | None = None

    async def get(self) -> str | None:
        """The token now, if there is one.

        :raises UsageError: the file or function has none
        """
        options = self._options
        if not callable(options.token):
            return options.checked_token(options.token)
        if self._answer is None or self._answer.done():
            self._answer = self._ask(options.token)
        # An endless function holds one thread, not one for each try.
        await asyncio.wait([self._answer], timeout=options.connect_timeout)
        if not self._answer.done():
            raise UsageError(f"the token's function has not returned within {options.connect_timeout} s")
        answer = self._answer.result()
        if isinstance(answer, Exception):
            raise UsageError(f"the token's function: {answer!r}") from answer
        return options.checked_token(answer)

    @staticmethod
    def _ask(function: Callable[[], str]) -> asyncio.Future[object]:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[object] = loop.create_future()

        def ask() -> None:
            answer: object
            try:
                answer = function()
            except Exception as e:
                answer = e
            # The loop may be closed by now.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(answered.set_result, answer)

        # A daemon: no function of the user holds up the end of the program.
        threading.Thread(target=ask, name="msgrelay-token", daemon=True).start()
        return answered

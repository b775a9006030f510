"""Clients for asyncio. Make them within a running event loop; they connect at once, and stay connected."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from types import TracebackType
from typing import Callable

from . import _process
from ._core import Asked, PublisherCore, epochs_from
from ._io import PublisherSession, SubscriberSession
from ._position import Place
from ._wire import Body, Epochs, Range
from .errors import RelayError
from .events import Item
from .options import PublisherOptions, SubscriberOptions, chosen


class Subscriber:
    """Messages, gaps and changes of the stream, in its order::

        async with Subscriber(SubscriberOptions("127.0.0.1:7400")) as subscriber:
            async for item in subscriber:
                ...

    Breaking out of the loop ends nothing; another loop goes on behind the last item. So does the next ``anext`` behind
    one that was cancelled, such as by a time-out: it has taken no item. ``close`` ends the loop.
    """

    def __init__(self, options: SubscriberOptions | str | Sequence[str]) -> None:
        options = chosen(options, SubscriberOptions)
        self._news = asyncio.Event()
        self._session = SubscriberSession(options, self._news.set)
        self._place = Place()
        self._forks = _process.forks
        self._closed = False

    async def connected(self) -> None:
        """Waits for the first WELCOME, or plain connection.

        :raises RelayError: the client gave up
        """
        _process.check(self._forks)
        while not self._session.connected and not self._session.ended:
            self._news.clear()
            await self._news.wait()
        if not self._session.connected:
            raise self._session.failure or RelayError("the subscriber was closed")

    async def batch(self) -> list[Item]:
        """All items that have come, at least one: the fastest way to read. Empty: the subscriber was closed.

        :raises RelayError: the client gave up; all that came before was handed over
        """
        _process.check(self._forks)
        rest = [] if self._closed else self._place.rest()
        return rest or (self._place.all() if await self._more() else [])

    def __aiter__(self) -> Subscriber:
        return self

    async def __anext__(self) -> Item:
        if self._forks != _process.forks:
            raise _process.foreign()
        # No generator: one that is cancelled has ended for good.
        while not self._closed:
            for item in self._place.unread:
                return item
            if not await self._more():
                break
        raise StopAsyncIteration

    async def _more(self) -> bool:
        session = self._session
        while self._closed or not session.pending:
            if session.ended or self._closed:
                if session.failure is not None and not self._closed:
                    raise session.failure
                return False
            self._news.clear()
            await self._news.wait()
        batches = session.take()
        self._place.take(batches)
        session.taken(batches)
        return True

    async def types(self, ranges: Sequence[Range]) -> int:
        """Changes the types, here and on later connections; empty: every type.

        :returns: the sequence of the first message that these types choose
        :raises UsageError: the ranges break a limit, or 64 changes wait
        """
        _process.check(self._forks)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[int] = loop.create_future()

        def done(result: int | RelayError) -> None:
            if not answer.done():
                if isinstance(result, RelayError):
                    answer.set_exception(result)
                else:
                    answer.set_result(result)

        self._session.core.change(ranges, done)
        self._session.send_requests()
        return await answer

    @property
    def messages(self) -> int:
        """Number of messages handed over."""
        return self._place.messages

    @property
    def bytes(self) -> int:
        """Bytes of these messages, headers included."""
        return self._place.bytes

    @property
    def epoch(self) -> int:
        """Epoch of ``next``; 0 before the first WELCOME."""
        return self._place.at(self._session)[0]

    @property
    def epochs(self) -> Epochs:
        """The lives of the stream up to ``epoch``, the newest first: each has its epoch, and the first sequence that it
        could give. To store with ``next`` and ``epoch``."""
        return epochs_from(self.epoch, self._session.core.epochs)

    @property
    def next(self) -> int:
        """Sequence behind the last item that was handed over: where another process would go on."""
        return self._place.at(self._session)[1]

    @property
    def head(self) -> int:
        """Newest sequence of the stream, from the relay's last PING; 0: not known."""
        return self._session.core.head

    async def close(self) -> None:
        """Ends the connection. What was read and not handed over is dropped."""
        self._closed = True
        if self._forks != _process.forks:
            self._place.drop()
            self._session.leave()
            return
        await self._session.close()

    async def __aenter__(self) -> Subscriber:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Publisher:
    """Publishes messages::

        async with Publisher(PublisherOptions("127.0.0.1:7401", name="orders", acks=True)) as publisher:
            await publisher.publish(7, b"hello")

    With ACKS each message is kept until it is acknowledged, and sent again after a cut. Without, a message that is
    sent over a connection that is lost may be lost with it: ``flush``, ``close`` and the end of ``async with`` tell.
    """

    def __init__(self, options: PublisherOptions | str | Sequence[str]) -> None:
        options = chosen(options, PublisherOptions)
        self._options = options
        self._news = asyncio.Event()
        # Calls of publish that wait, and the turn of the first of them.
        self._waiting = 0
        self._turn = asyncio.Lock()
        self._core = PublisherCore(options)
        loop = asyncio.get_running_loop()
        # One thread has it all: no lock is needed.
        self._session = PublisherSession(options, self._core, contextlib.nullcontext(), self._news.set, loop.call_soon)
        self._forks = _process.forks
        _process.unclosed.add(self._session)

    async def connected(self) -> None:
        """Waits for the first WELCOME, or plain connection.

        :raises RelayError: the client gave up
        """
        _process.check(self._forks)
        await self._until(lambda: self._session.connected or self._session.ended)
        if not self._session.connected:
            raise self._core.failure or RelayError("the publisher was closed")

    def offer(self, type: int, body: Body) -> bool:
        """Takes a message for sending; ``False``: the buffer has no room now.

        :raises UsageError: a reserved type, or a body over ``max_body``
        :raises ConnectionFailed: the client has given up
        """
        if self._forks != _process.forks:
            raise _process.foreign()
        taken = self._core.offer(type, body)
        if taken:
            self._session.schedule()
        return taken

    async def publish(self, type: int, body: Body) -> None:
        """As ``offer``, but waits for room. Calls that wait are served in their order."""
        if not self._waiting and self.offer(type, body):
            return
        self._waiting += 1
        try:
            # One call waits for room, and the others for that one: to wake them all each time would take as much time
            # as there are calls, for each of them.
            async with self._turn:
                while not self.offer(type, body):
                    self._news.clear()
                    await self._news.wait()
        finally:
            self._waiting -= 1

    async def flush(self, timeout: float | None = None) -> bool:
        """Waits until all messages so far are done: acknowledged; without ACKS confirmed, so the relay has read them;
        plain, which can know no more, handed to the socket.

        :returns: whether they are; ``False``: the time is over, with ACKS or plain
        :raises NotDone: without ACKS: the time is over or the client has given up, and messages are not confirmed; or
            messages are in doubt since their connection was lost, which is told once
        :raises ConnectionFailed: with ACKS or plain: the client has given up
        """
        _process.check(self._forks)
        asked = self._ask()
        await self._in_time(asked, timeout)
        return self._core.answer(asked)

    def _ask(self) -> Asked:
        asked = self._core.ask()
        self._session.schedule()
        return asked

    async def _in_time(self, asked: Asked, timeout: float | None) -> bool:
        until = self._until(lambda: self._core.is_over(asked) or self._session.ended)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(until, timeout)
        return self._core.is_over(asked)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._news.clear()
            await self._news.wait()

    @property
    def messages(self) -> int:
        """Number of messages taken."""
        return self._core.messages

    @property
    def bytes(self) -> int:
        """Bytes of these messages, headers included."""
        return self._core.bytes

    @property
    def settled(self) -> int:
        """Number of messages that are acknowledged; without ACKS handed to the socket, which says nothing about the
        relay."""
        return self._core.settled

    @property
    def confirmed(self) -> int:
        """Number of messages that the relay has read for certain; with ACKS acknowledged. Plain: 0, for none can be
        confirmed."""
        return self._core.confirmed

    @property
    def first_number(self) -> int:
        """Number of this publisher's first message; 0: not known yet."""
        return self._core.first_number

    @property
    def epoch(self) -> int:
        """Epoch of the relay's stream, to store with the numbers; 0: not known yet."""
        return self._core.epoch

    @property
    def epochs(self) -> Epochs:
        """The lives of the stream up to ``epoch``, to store with it."""
        return self._core.epochs

    async def close(self) -> int:
        """Waits until all messages are done as ``flush`` does, for ``close_timeout`` at most, over new connections if
        needed, and ends the connection. The end of ``async with`` calls it, and raises ``NotDone`` for what is left; if
        another exception is on its way, an ``Unsettled`` event tells it. Behind a cancellation it settles over the
        connection that is there; another one ends the wait at once.

        :returns: number of messages that are not done: not acknowledged; without ACKS in doubt or not sent, but for
            those that ``flush`` has told; plain, not handed to the socket
        """
        return self._core.left(await self._close())

    async def _close(self, *, tell: bool = False) -> Asked:
        self._core.closing = True
        if self._forks != _process.forks:
            self._session.leave()
            return self._core.ask()
        asked = self._ask()
        cancelled, over = True, False
        try:
            over = await self._in_time(asked, self._options.close_timeout)
            cancelled = False
        finally:
            hidden = asked if tell or cancelled else None
            await self._session.close(abort=not over, at_once=cancelled, tell=hidden)
        return asked

    async def __aenter__(self) -> Publisher:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Who has closed it before has the number.
        is_first = not self._core.closing
        if isinstance(value, asyncio.CancelledError):
            # A program that is cancelled, such as by a time-out, waits for no other connection.
            self._session.last_try()
        asked = await self._close(tell=is_first and value is not None)
        if self._core.left(asked) and is_first and value is None:
            raise self._core.what_is_left(asked)

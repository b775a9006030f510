"""Clients for plain threads: the asyncio ones on a thread of their own, with methods that wait."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, Callable, TypeVar

from . import _process
from ._core import Asked, PublisherCore, epochs_from
from ._io import PublisherSession, SubscriberSession
from ._position import Place
from ._wire import Body, Epochs, Range
from .errors import NotDone, RelayError, UsageError
from .events import Item
from .options import PublisherOptions, SubscriberOptions, chosen

_T = TypeVar("_T")


class _LoopThread:
    """An event loop on a daemon thread.

    :raises UsageError: the thread cannot run it, since it is none of its own
    """

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        runs: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._thread = threading.Thread(target=self._run, args=(runs,), name=name, daemon=True)
        self.loop.call_soon(runs.set_result, None)
        self._thread.start()
        try:
            runs.result()
        except RuntimeError as e:
            self.loop.close()
            text = f"{e}: with threads that are greenlets, as gevent's are, a process has one event loop"
            raise UsageError(text) from e

    def _run(self, runs: concurrent.futures.Future[None]) -> None:
        try:
            self.loop.run_forever()
        except RuntimeError as e:
            if runs.done():
                raise
            runs.set_exception(e)

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def refuse_in_hook(self) -> None:
        """Refuses a call in a hook, which runs on this thread."""
        if threading.current_thread() is self._thread:
            raise UsageError("a call in on_event or on_ack would wait for its own thread")

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class _News:
    """Wakes the threads that wait for a condition. The client's own thread, which makes it true, must not wait."""

    def __init__(self, thread: _LoopThread) -> None:
        self._thread = thread
        self.lock = threading.RLock()
        self._condition = threading.Condition(self.lock)

    def wake(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Waits with the lock; whether the condition is true."""
        with self._condition:
            if condition():
                return True
            if timeout != 0:
                self._thread.refuse_in_hook()
            return self._condition.wait_for(condition, timeout)


class Subscriber:
    """Messages, gaps and changes of the stream, in its order::

        with Subscriber(SubscriberOptions("127.0.0.1:7400")) as subscriber:
            for item in subscriber:
                ...

    Breaking out of the loop ends nothing; another loop goes on behind the last item. ``close`` ends the loop.

    One thread reads. Any thread may change the types, read the counters and close.
    """

    def __init__(self, options: SubscriberOptions | str | Sequence[str]) -> None:
        options = chosen(options, SubscriberOptions)
        self._thread = _LoopThread("msgrelay-subscriber")
        self._news = _News(self._thread)
        self._place = Place()
        self._forks = _process.forks
        self._closed = False
        self._closing = threading.Lock()

        async def start() -> SubscriberSession:
            return SubscriberSession(options, self._news.wake)

        self._session = self._thread.run(start())

    def connected(self, timeout: float | None = None) -> bool:
        """Waits for the first WELCOME, or plain connection; ``False``: the time is over.

        :raises RelayError: the client gave up
        """
        _process.check(self._forks)
        session = self._session
        in_time = self._news.wait_for(lambda: session.connected or session.ended, timeout)
        if in_time and not session.connected:
            raise session.failure or RelayError("the subscriber was closed")
        return in_time

    def batch(self, timeout: float | None = None) -> list[Item]:
        """All items that have come, at least one: the fastest way to read. Empty: closed, or the time is over.

        :raises RelayError: the client gave up; all that came before was handed over
        """
        _process.check(self._forks)
        rest = [] if self._closed else self._place.rest()
        return rest or (self._place.all() if self._more(timeout) else [])

    def __iter__(self) -> Subscriber:
        return self

    def __next__(self) -> Item:
        if self._forks != _process.forks:
            raise _process.foreign()
        # No generator: one that a signal's exception went through has ended for good.
        while not self._closed:
            for item in self._place.unread:
                return item
            if not self._more(None):
                break
        raise StopIteration

    def _more(self, timeout: float | None) -> bool:
        session = self._session
        self._news.wait_for(lambda: bool(session.pending) or session.ended or self._closed, timeout)
        if self._closed:
            return False
        batches = session.take()
        if batches:
            self._place.take(batches)
            self._thread.loop.call_soon_threadsafe(session.taken, batches)
            return True
        if session.failure is not None:
            raise session.failure
        return False

    def types(self, ranges: Sequence[Range], timeout: float | None = None) -> int:
        """Changes the types, here and on later connections; empty: every type.

        :returns: the sequence of the first message that these types choose
        :raises UsageError: the ranges break a limit, or 64 changes wait
        :raises TimeoutError: the relay has not answered in time; the change may still come
        """
        _process.check(self._forks)
        if self._closed:
            raise UsageError("the subscriber is closed")
        self._thread.refuse_in_hook()
        answer: concurrent.futures.Future[int] = concurrent.futures.Future()

        def done(result: int | RelayError) -> None:
            if isinstance(result, RelayError):
                answer.set_exception(result)
            else:
                answer.set_result(result)

        async def ask() -> None:
            self._session.core.change(ranges, done)
            self._session.send_requests()

        self._thread.run(ask())
        try:
            return answer.result(timeout)
        except concurrent.futures.TimeoutError:
            raise TimeoutError(f"no answer to the change of types within {timeout} s") from None

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

    def close(self) -> None:
        """Ends the connection and the thread. What was read and not handed over is dropped."""
        if self._forks != _process.forks:
            self._closed = True
            self._place.drop()
            self._session.leave()
            return
        self._thread.refuse_in_hook()
        with self._closing:
            if not self._closed:
                self._closed = True
                self._thread.run(self._session.close())
                self._thread.stop()
        self._news.wake()

    def __enter__(self) -> Subscriber:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Publisher:
    """Publishes messages::

        with Publisher(PublisherOptions("127.0.0.1:7401", name="orders", acks=True)) as publisher:
            publisher.publish(7, b"hello")

    Any thread may publish. With ACKS each message is kept until it is acknowledged, and sent again after a cut.
    Without, a message that is sent over a connection that is lost may be lost with it: ``flush``, ``close`` and the
    end of ``with`` tell.
    """

    def __init__(self, options: PublisherOptions | str | Sequence[str]) -> None:
        options = chosen(options, PublisherOptions)
        self._options = options
        self._core = PublisherCore(options)
        self._thread = _LoopThread("msgrelay-publisher")
        self._news = _News(self._thread)
        self._closed = False
        self._closed_at: Asked
        self._closing = threading.Lock()

        async def start() -> PublisherSession:
            soon = self._thread.loop.call_soon_threadsafe
            return PublisherSession(options, self._core, self._news.lock, self._news.wake, soon)

        self._session = self._thread.run(start())
        self._forks = _process.forks
        _process.unclosed.add(self)

    def connected(self, timeout: float | None = None) -> bool:
        """Waits for the first WELCOME, or plain connection; ``False``: the time is over.

        :raises RelayError: the client gave up
        """
        _process.check(self._forks)
        session = self._session
        in_time = self._news.wait_for(lambda: session.connected or session.ended, timeout)
        if in_time and not session.connected:
            raise self._core.failure or RelayError("the publisher was closed")
        return in_time

    def publish(self, type: int, body: Body, timeout: float | None = None) -> bool:
        """Takes a message for sending. Waits for room in the buffer; ``timeout`` 0: does not wait.

        :returns: whether it was taken; ``False``: there was no room in time
        :raises UsageError: a reserved type, or a body over ``max_body``
        :raises ConnectionFailed: the client has given up
        """
        if self._forks != _process.forks:
            raise _process.foreign()
        with self._news.lock:
            taken = self._core.offer(type, body)
            if not taken and timeout != 0:
                taken = self._news.wait_for(lambda: self._core.offer(type, body), timeout)
            if taken:
                self._session.schedule()
            return taken

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until all messages so far are done: acknowledged; without ACKS confirmed, so the relay has read them;
        plain, which can know no more, handed to the socket.

        :returns: whether they are; ``False``: the time is over, with ACKS or plain
        :raises NotDone: without ACKS: the time is over or the client has given up, and messages are not confirmed; or
            messages are in doubt since their connection was lost, which is told once
        :raises ConnectionFailed: with ACKS or plain: the client has given up
        """
        _process.check(self._forks)
        with self._news.lock:
            asked = self._ask()
            self._news.wait_for(lambda: self._core.is_over(asked) or self._session.ended, timeout)
            return self._core.answer(asked)

    def _ask(self) -> Asked:
        asked = self._core.ask()
        if not self._session.ended:
            self._session.schedule()
        return asked

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

    def close(self) -> int:
        """Waits until all messages are done as ``flush`` does, for ``close_timeout`` at most, over new connections if
        needed, and ends the connection. The end of ``with`` calls it, and raises ``NotDone`` for what is left; if
        another exception is on its way, an ``Unsettled`` event tells it.

        :returns: number of messages that are not done: not acknowledged; without ACKS in doubt or not sent, but for
            those that ``flush`` has told; plain, not handed to the socket
        """
        return self._core.left(self._close(self._options.close_timeout))

    def _begin_end(self) -> float:
        with self._news.lock:
            self._core.closing = True
            self._ask()
        self._thread.loop.call_soon_threadsafe(self._session.last_try)
        return self._options.close_timeout

    def _end(self, seconds: float) -> NotDone | None:
        asked = self._close(seconds)
        return self._core.what_is_left(asked) if self._core.left(asked) else None

    def _close(self, seconds: float, *, tell: bool = False) -> Asked:
        if self._forks != _process.forks:
            self._core.closing = self._closed = True
            self._session.leave()
            return self._core.ask()
        self._thread.refuse_in_hook()
        # The calls that come later wait for the first one, and tell the same.
        with self._closing:
            if not self._closed:
                self._closed = True
                _process.unclosed.discard(self)
                interrupted, over = True, False
                try:
                    with self._news.lock:
                        self._core.closing = True
                        self._closed_at = asked = self._ask()
                        self._news.wait_for(lambda: self._core.is_over(asked) or self._session.ended, seconds)
                        over = self._core.is_over(asked)
                    interrupted = False
                finally:
                    try:
                        hidden = self._closed_at if tell or interrupted else None
                        self._thread.run(self._session.close(abort=not over, at_once=interrupted, tell=hidden))
                    finally:
                        self._thread.stop()
            return self._closed_at

    def __enter__(self) -> Publisher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Who has closed it before has the number.
        is_first = not self._closed
        asked = self._close(self._options.close_timeout, tell=is_first and value is not None)
        if self._core.left(asked) and is_first and value is None:
            raise self._core.what_is_left(asked)

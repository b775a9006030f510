"""Connections over asyncio: the part that subscriber and publisher share, over the cores of ``_core``."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
import time
from collections import deque
from contextlib import AbstractContextManager
from typing import Callable, Protocol, cast

from . import _process, _wire, errors
from ._certificate import DAY, CertificateWatch
from ._connect import TokenSource, connected_socket
from ._core import Asked, Batch, Link, PublisherCore, SubscriberCore
from ._local import SYSTEM, is_loopback
from ._retry import Reconnector
from .errors import Advice, AskAgain, BrokenRule, ConnectionFailed, NotDone, RelayError, UsageError
from .events import Certificate, GaveUp, Lost, StateLate, Unsettled
from .options import ConnectionOptions, Endpoint, PublisherOptions, SubscriberOptions, Tls

# Bytes given to a socket at once while more waits.
LARGEST_WRITE = 256 << 10
# Answers to PING that the relay does not take, in bytes.
MOST_UNREAD = 64 << 10
# OpenSSL's codes for a certificate of another host or address.
_WRONG_NAME = (62, 64)
# OpenSSL's names of the alerts by which the relay refuses this side's certificate; the last one is that of a relay with
# BoringSSL, for an authority that it does not know.
_REFUSED = re.compile("ALERT.*(CERTIFICATE|UNKNOWN_CA|INTERNAL_ERROR)")
# Longest time for the last words of either side, in seconds.
LINGER = 1.0
# Time after which a state that is not complete is told, in seconds.
STATE_IS_LATE = 10.0


class Core(Protocol):
    idle_timeout: float
    heartbeat: float

    def connect(self, endpoint: str, token: str | None) -> tuple[Link, bytes]: ...


class Client(Protocol):
    """What differs between subscriber and publisher: its reactions to a connection."""

    def on_open(self) -> None: ...

    def on_input(self) -> None: ...

    def on_writable(self) -> None: ...

    def on_lost(self, why: Exception) -> None: ...

    def on_end(self, why: RelayError) -> None: ...


class Connection(asyncio.Protocol):
    """One connection, from its start to its end."""

    transport: asyncio.Transport

    def __init__(self, session: Session) -> None:
        self._loop = asyncio.get_running_loop()
        self._session = session
        self._options = session.options
        self._lock = session.lock
        self._core = session.core
        self._client = session.client
        self.link: Link
        self.ended: asyncio.Future[Exception] = self._loop.create_future()
        self.closed: asyncio.Future[None] = self._loop.create_future()
        self.can_write = True
        # The core knows of this connection.
        self.is_begun = False
        self._is_open = False
        self._paused = False
        self._made = False
        self._heard = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._pong_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other loops' transports are no subclasses of asyncio's.
        self.transport = transport = cast(asyncio.Transport, transport)
        self._session.connection = self
        try:
            # So the client learns when the socket has taken everything. A limit of 0 would pause TLS for ever.
            transport.set_write_buffer_limits(high=1, low=0)
            token = self._session.token
            if token is not None and self._options.tls is None:
                _check_secrecy(transport)
            with self._lock:
                self.link, first = self._core.connect(self._session.endpoint.text, token)
                self.is_begun = True
            if first:
                transport.write(first)
            if self.link.open:
                self._opened()
            else:
                self._watch()
        except Exception as e:
            self.end(e)
        self._made = True

    def data_received(self, data: bytes) -> None:
        if self.ended.done():
            return
        fault: Exception | None = None
        with self._lock:
            try:
                self.link.receive(data)
            except Exception as e:
                fault = e
            answer = self.link.output()
        if self.link.open:
            self._heard = self._loop.time()
        if fault is not None:
            self.end(fault)
        elif answer and self.transport.get_write_buffer_size() > MOST_UNREAD + LARGEST_WRITE:
            self.end(ConnectionFailed("the relay asks with PING and takes no answers"))
        elif answer:
            self.transport.write(answer)
        try:
            if self.link.open and not self._is_open and not self.ended.done():
                self._opened()
            self._client.on_input()
        except Exception as e:
            self.end(e)

    def _opened(self) -> None:
        self._is_open = True
        self._watch()
        self._session.on_open()

    def _watch(self) -> None:
        """Ends the connection if the relay is silent for too long; otherwise looks again later."""
        if self._timer is not None:
            self._timer.cancel()
        if self.ended.done() or self.link.plain:
            return
        now = self._loop.time()
        patience = self._core.idle_timeout if self._is_open else self._options.handshake_timeout
        if self._paused:
            # The silence is this side's own.
            self._heard = now
        left = self._heard + patience - now
        if left > 0:
            self._timer = self._loop.call_later(left, self._watch)
        elif self._is_open:
            self.end(ConnectionFailed(f"nothing was heard of the relay at {self.link.endpoint} for {patience} s"))
        else:
            self.end(ConnectionFailed(f"no WELCOME from {self.link.endpoint} within {patience} s"))

    def pause_reading(self) -> None:
        if not self._paused:
            self._paused = True
            if self._made:
                self.transport.pause_reading()
            else:
                # Before Python 3.11 a transport that is paused in connection_made begins to read all the same.
                self._loop.call_soon(self._pause_late)
            if self.link.open and not self.link.plain:
                self._pong_timer = self._loop.call_later(self._core.heartbeat, self._still_here)

    def _pause_late(self) -> None:
        if self._paused and not self.transport.is_closing():
            self.transport.pause_reading()

    def _still_here(self) -> None:
        """Says unasked that this side lives: the relay's PINGs lie behind what is not read."""
        self._pong_timer = self._loop.call_later(self._core.heartbeat, self._still_here)
        # A relay that does not take the last one gets no other.
        if not self.transport.is_closing() and self.transport.get_write_buffer_size() == 0:
            self.transport.write(_wire.pong(0))

    def _stop_pongs(self) -> None:
        if self._pong_timer is not None:
            self._pong_timer.cancel()
            self._pong_timer = None

    def resume_reading(self) -> None:
        if self._paused:
            self._paused = False
            self._stop_pongs()
            self._heard = self._loop.time()
            if not self.ended.done() and not self.transport.is_closing():
                self.transport.resume_reading()

    def pause_writing(self) -> None:
        self.can_write = False

    def resume_writing(self) -> None:
        self.can_write = True
        try:
            self._client.on_writable()
        except Exception as e:
            self.end(e)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)
        if self.ended.done():
            return
        endpoint = self.link.endpoint
        if isinstance(exc, ssl.SSLError):
            self.end(_tls_failed(endpoint, exc, self._options.tls))
        elif exc is not None:
            self.end(ConnectionFailed(f"connection to {endpoint} lost: {exc}", unanswered=not self.link.open))
        else:
            how = " within a frame" if self.link.is_within_frame else ""
            text = f"the relay at {endpoint} closed the connection{how}"
            self.end(ConnectionFailed(text, unanswered=not self.link.open))

    def end(self, why: Exception) -> None:
        """Ends the connection; its session closes it."""
        if not self.ended.done():
            self.ended.set_result(why)
        if self._timer is not None:
            self._timer.cancel()
        self._stop_pongs()

    async def close(self, why: Exception | None = None) -> None:
        """Closes in order, after telling the relay which rule it broke; in a bounded time."""
        self.end(why or ConnectionFailed("closed"))
        if isinstance(why, BrokenRule) and not self._options.plain and not self.transport.is_closing():
            self.transport.write(_wire.error(why.code, str(why)))
        self.transport.close()
        try:
            await asyncio.wait([self.closed], timeout=LINGER)
        finally:
            self.transport.abort()


class Session:
    """The task of a client: connects, stays, and connects again."""

    def __init__(
        self, options: ConnectionOptions, core: Core, lock: AbstractContextManager[object], client: Client
    ) -> None:
        self.options = options
        self.core = core
        self.lock = lock
        self.client = client
        self._reconnector = Reconnector(options.parsed_endpoints(), options.reconnect)
        self.connection: Connection | None = None
        self._socket: socket.socket | None = None
        # A connection is there, or a try under way.
        self.is_trying = False
        # A program that takes no events has heard of a failure, and of the success behind it.
        self._told_failure = self._told_success = options.is_heard
        # The token of this try. Once it and the files of TLS could be read, they are there or will be.
        self.token: str | None = None
        self._token_source = TokenSource(options)
        self._was_readable = False
        self._certificate = CertificateWatch(lambda days: options.emit(Certificate(days)))
        self._certificate_end: float | None = None
        self._certificate_timer: asyncio.TimerHandle | None = None
        # Set once all is done: the end of the connection is then the end of the client.
        self.stopping = False
        self.cancelled = False

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that is connected, or next."""
        return self._reconnector.current

    async def run(self) -> None:
        """Runs until the client has to give up."""
        while True:
            try:
                why = await self._one_connection()
            except RelayError as e:
                why = e
            except OSError as e:
                why = ConnectionFailed(f"connect to {self.endpoint.text}: {e}")
            except Exception as e:
                why = _fault(e)
            self._check_cancelled()
            if isinstance(why, AskAgain):
                # Each time fewer epochs are left to try, and the whole state is asked for once.
                continue
            if isinstance(why, ConnectionFailed):
                if why.code == errors.NOT_AUTHENTICATED and self.options.token_may_change:
                    why.may_pass()
                why = self._reconnector.explained(why)
            if not isinstance(why, ConnectionFailed) or self.stopping:
                return self._give_up(_fault(why))
            endpoint = self.endpoint.text
            wait = self._reconnector.failed(why, asyncio.get_running_loop().time())
            if isinstance(wait, ConnectionFailed):
                return self._give_up(wait)
            if not self._told_failure:
                self._told_failure = True
                _process.log.warning("%s. It is tried again; on_event tells more", why)
            try:
                self.options.emit(Lost(endpoint, why, wait))
            except Exception as e:
                return self._give_up(_fault(e))
            await asyncio.sleep(wait)

    def _check_cancelled(self) -> None:
        # wait_for loses a cancellation that comes at the moment of its result.
        if self.cancelled:
            raise asyncio.CancelledError

    def _give_up(self, why: RelayError) -> None:
        # The client has failed before its user hears of it.
        self.client.on_end(why)
        # All was sent, and the relay has no complaint: this end is no failure. Or close tells what is in doubt.
        if not (self.stopping and (why.code == 0 or (why.kind == "retry" and not self.options.plain))):
            with contextlib.suppress(Exception):
                self.options.emit(GaveUp(why))

    def on_open(self) -> None:
        self._reconnector.welcomed(asyncio.get_running_loop().time())
        if self._told_failure and not self._told_success:
            self._told_success = True
            _process.log.warning("connected to %s", self.endpoint.text)
        self.client.on_open()

    def leave(self) -> None:
        """Gives the connection up in the child of a fork, where loop and TLS are still the parent's."""
        if self._socket is not None:
            self._socket.close()

    async def cancel(self, task: asyncio.Task[None], *, abort: bool = False) -> None:
        """Ends the task that runs this session; with ``abort`` what its socket has not taken is dropped."""
        self.cancelled = True
        if abort:
            self._abort()
        task.cancel()
        interrupted: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as e:
                # However often the program is cancelled, no task and no descriptor is left. Without its last words the
                # connection ends in a few turns of the loop.
                interrupted = e
                self._abort()
        if interrupted is not None:
            raise interrupted

    def _abort(self) -> None:
        if self.connection is not None:
            self.connection.transport.abort()

    @property
    def usable(self) -> Connection | None:
        """The connection, if something may be sent over it."""
        connection = self.connection
        return None if connection is None or connection.ended.done() or not connection.link.open else connection

    def progressed(self) -> None:
        connection = self.connection
        if connection is not None and connection.link.open and connection.link.progressed:
            connection.link.progressed = False
            self._reconnector.progressed(asyncio.get_running_loop().time())

    async def _one_connection(self) -> Exception:
        why: Exception | None = None
        try:
            self.is_trying = True
            connection = await self._connect()
            self._check_cancelled()
            why = await asyncio.shield(connection.ended)
            if not connection.is_begun:
                return why
            if connection.link.retry_after is not None:
                self._reconnector.retry_after(connection.link.retry_after / 1000)
            if connection.link.going_away:
                self._reconnector.leaving(connection.link.going_away)
            try:
                self.client.on_lost(why)
            except Exception as e:
                why = _fault(e)
            return why
        finally:
            self.is_trying = False
            if self._certificate_timer is not None:
                self._certificate_timer.cancel()
            if self.connection is not None:
                await self.connection.close(why)
            self.connection = self._socket = None

    async def _connect(self) -> Connection:
        endpoint, options = self.endpoint, self.options
        context = await self._read_files()
        try:
            connection = await asyncio.wait_for(self._connected(context), options.connect_timeout)
        except asyncio.TimeoutError:
            text = f"no connection to {endpoint.text} within {options.connect_timeout} s"
            raise ConnectionFailed(text) from None
        except ssl.SSLError as e:
            raise _tls_failed(endpoint.text, e, options.tls) from e
        return connection

    async def _connected(self, context: ssl.SSLContext | None) -> Connection:
        endpoint, options = self.endpoint, self.options
        publisher = options if isinstance(options, PublisherOptions) else None
        made = self._socket = await connected_socket(
            endpoint,
            plain_publisher=publisher is not None and options.plain,
            local_congestion=SYSTEM if publisher is None else publisher.local_congestion,
        )
        loop = asyncio.get_running_loop()
        if context is None:
            return (await loop.create_connection(lambda: Connection(self), sock=made))[1]
        try:
            _, connection = await loop.create_connection(
                lambda: Connection(self),
                sock=made,
                ssl=context,
                server_hostname=(options.tls and options.tls.server_name) or endpoint.host,
                ssl_handshake_timeout=options.connect_timeout,
            )
        except ConnectionError as e:
            text = f"connection to {endpoint.text} ended within the TLS handshake: {e}"
            raise ConnectionFailed(text, Advice.FEW) from e
        return connection

    async def _read_files(self) -> ssl.SSLContext | None:
        """The token and what TLS needs, as files and function have them now."""
        try:
            context = None if self.options.tls is None else self.options.tls.context()
            self.token = await self._token_source.get()
        except UsageError as e:
            if not self._was_readable:
                raise
            raise ConnectionFailed(f"connect to {self.endpoint.text}: {e}") from e
        self._was_readable = True
        self._certificate_end = None if context is None or self.options.tls is None else self.options.tls.end()
        try:
            self._look_at_certificate()
        except Exception as e:
            # The caller's function raised it, whatever it is.
            raise _fault(e) from e
        return context

    def _look_at_certificate(self) -> None:
        """Tells what is left of the certificate, now and each day while the connection is there."""
        if self._certificate_end is not None:
            self._certificate_timer = asyncio.get_running_loop().call_later(DAY, self._look_again)
            self._certificate.look(self._certificate_end, time.time())

    def _look_again(self) -> None:
        try:
            self._look_at_certificate()
        except Exception as e:
            if self.connection is not None:
                self.connection.end(e)


def _fault(why: Exception) -> RelayError:
    if isinstance(why, RelayError):
        return why
    fault = ConnectionFailed(f"fault of the caller's function or of this client: {why!r}", Advice.STOP)
    fault.__cause__ = why
    return fault


def _tls_failed(endpoint: str, e: ssl.SSLError, tls: Tls | None) -> ConnectionFailed:
    advice = Advice.FEW
    if isinstance(e, ssl.SSLCertVerificationError):
        # The relay's certificate, or the file with its authority, may be renewed a moment later; a name stays.
        renewable = tls is not None and tls.ca is not None and e.verify_code not in _WRONG_NAME
        advice = Advice.AGAIN if renewable else Advice.STOP
    elif tls is not None and tls.certificate is not None and _REFUSED.search(e.reason or ""):
        advice = Advice.AGAIN
    return ConnectionFailed(f"TLS with {endpoint}: {e}", advice)


def _check_secrecy(transport: asyncio.Transport) -> None:
    peer = transport.get_extra_info("peername")
    if isinstance(peer, tuple) and not is_loopback(peer):
        raise ConnectionFailed(f"the token would go to {peer[0]} over a link in the clear: use TLS", Advice.STOP)


class SubscriberSession:
    """A subscriber's task and what it has read. ``wake`` is called when there is more, or the end."""

    def __init__(self, options: SubscriberOptions, wake: Callable[[], None]) -> None:
        self.core = SubscriberCore(options)
        self._options = options
        self._wake = wake
        self._session = Session(options, self.core, contextlib.nullcontext(), self)
        self.pending: deque[Batch] = deque()
        self._pending_bytes = 0
        self.failure: RelayError | None = None
        self.ended = False
        self.connected = False
        # When it is told that the state is not complete; 0: it was.
        self._late_at = 0.0
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._session.run()
        finally:
            self.ended = True
            self.core.end(self.failure or ConnectionFailed("the subscriber was closed"))
            self._wake()

    def on_open(self) -> None:
        self.connected = True
        self._late_at = asyncio.get_running_loop().time() + STATE_IS_LATE
        self.on_input()
        self.send_requests()
        self._wake()

    def on_input(self) -> None:
        if self.core.awaits_state and 0 < self._late_at <= asyncio.get_running_loop().time():
            self._late_at = 0
            self._state_is_late()
        batch = self.core.batch()
        if batch is not None:
            self.pending.append(batch)
            self._pending_bytes += batch.size
            if self._pending_bytes >= self._options.buffer and self._session.connection is not None:
                self._session.connection.pause_reading()
            self._wake()
        self._session.progressed()

    def _state_is_late(self) -> None:
        endpoint = self._session.endpoint.text
        _process.log.info("the state of %s is not complete after %s s", endpoint, STATE_IS_LATE)
        self._options.emit(StateLate(endpoint, STATE_IS_LATE))

    def on_writable(self) -> None:
        """A subscriber has nothing more to write."""

    def on_lost(self, why: Exception) -> None:
        self.on_input()

    def on_end(self, why: RelayError) -> None:
        self.failure = why

    def take(self) -> list[Batch]:
        """All that has been read, for the one thread that hands it over; followed by `taken` on the loop's thread."""
        batches = []
        while self.pending:
            batches.append(self.pending.popleft())
        return batches

    def taken(self, batches: list[Batch]) -> None:
        """The user has taken these batches: there is room again."""
        self._pending_bytes -= sum(batch.size for batch in batches)
        if self._pending_bytes < self._options.buffer and self._session.connection is not None:
            self._session.connection.resume_reading()

    def send_requests(self) -> None:
        """Sends the changes of types that wait, if the connection is open."""
        connection = self._session.usable
        if connection is not None:
            requests = self.core.requests()
            if requests:
                connection.transport.write(requests)

    async def close(self) -> None:
        await self._session.cancel(self._task)

    def leave(self) -> None:
        """Frees what a child of a fork has of this client, and leaves the rest to the parent."""
        self.pending.clear()
        self._session.leave()


class PublisherSession:
    """A publisher's task. ``wake`` is called when there is more room, or the end."""

    def __init__(
        self,
        options: PublisherOptions,
        core: PublisherCore,
        lock: AbstractContextManager[object],
        wake: Callable[[], None],
        call_soon: Callable[[Callable[[], None]], object],
    ) -> None:
        self.core = core
        self._forks = _process.forks
        self._options = options
        self._lock = lock
        self._wake = wake
        self._session = Session(options, core, lock, self)
        self.ended = False
        self.connected = False
        self._scheduled = False
        self._call_soon = call_soon
        # Runs for a heartbeat interval behind the PING with this id while something is not confirmed.
        self._timer: asyncio.TimerHandle | None = None
        self._timed_ping = 0
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._session.run()
        except asyncio.CancelledError:
            if self in _process.unclosed:
                # The program's loop ends, and with it this client.
                _process.unclosed.discard(self)
                left = self._end(0)
                if left is not None:
                    _process.tell(left)
            raise
        finally:
            self.ended = True
            self._wake()

    def _begin_end(self) -> float:
        """The loop does not run any more: nothing can be settled."""
        return 0

    def _end(self, _seconds: float) -> NotDone | None:
        asked = self.core.ask()
        return self.core.what_is_left(asked) if self.core.left(asked) else None

    def last_try(self) -> None:
        """The connection, or the try that is under way, is the last one."""
        _process.unclosed.discard(self)
        self._session.stopping = True
        if not self._session.is_trying:
            self._task.cancel()

    def leave(self) -> None:
        """Frees what a child of a fork has of this client, and leaves the rest to the parent."""
        self.core.drop()
        self._session.leave()

    def on_open(self) -> None:
        self.connected = True
        self.send()

    def on_input(self) -> None:
        self._session.progressed()
        if self.core.confirms:
            # The answer to a PING allows the next one.
            self.send()
        else:
            self._wake()

    def on_writable(self) -> None:
        self.send()

    def on_lost(self, why: Exception) -> None:
        self._session.progressed()
        self._stop_timer()
        if self._session.stopping:
            return
        with self._lock:
            # Another connection would bring nothing: what is in doubt is not sent again.
            if self.core.confirms and self.core.closing and not self.core.has_unsent:
                self._session.stopping = True
            try:
                self.core.lost(_fault(why))
            except Exception as e:
                # A flush that ends with this loss tells why no other connection comes.
                self.core.failure = _fault(e)
                raise
        self._wake()

    def on_end(self, why: RelayError) -> None:
        with self._lock:
            self.core.failure = why

    def schedule(self) -> None:
        """Sends soon, together with what is published until then. On any thread, with the lock."""
        if not self._scheduled:
            self._scheduled = True
            self._call_soon(self.send)

    def send(self) -> None:
        """Sends what waits, until the socket is full."""
        self._scheduled = False
        connection = self._session.usable
        if connection is not None:
            try:
                self._send_over(connection)
            except Exception as e:
                # The loop that calls this would only log it.
                connection.end(e)
        self._wake()

    def _send_over(self, connection: Connection) -> None:
        while connection.can_write and not connection.ended.done():
            with self._lock:
                self.core.written()
                data = self.core.frames(LARGEST_WRITE)
            if not data:
                break
            connection.transport.write(data)
        if self.core.confirms:
            with self._lock:
                self._time_ping()
            link = connection.link
            if self.core.closing and link.going_away:
                text = f"the relay at {link.endpoint} goes away: {errors.name_of(link.going_away)}"
                connection.end(ConnectionFailed(text, code=link.going_away))

    def _time_ping(self) -> None:
        """Sees to it that a heartbeat interval behind a PING the next one comes, if something is not confirmed."""
        core = self.core
        if core.ping_id != self._timed_ping or not core.is_unconfirmed:
            self._stop_timer()
        if self._timer is None and core.is_unconfirmed and not core.interval_is_over:
            self._timed_ping = core.ping_id
            self._timer = asyncio.get_running_loop().call_later(core.heartbeat, self._interval_over)

    def _interval_over(self) -> None:
        self._timer = None
        self.core.interval_is_over = True
        self.send()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def close(self, *, abort: bool, at_once: bool = False, tell: Asked | None = None) -> None:
        """Ends the task. Without ``abort``, all is settled: a plain publisher still hears the relay's last word. With
        ``at_once``, and after a PONG that did not come in time, it does not wait for the socket either. With ``tell``
        an event says what is left, since an exception that is on its way keeps the caller from it."""
        _process.unclosed.discard(self)
        self._session.stopping = True
        connection = self._session.connection
        try:
            if not abort and self._options.plain and connection is not None and connection.transport.can_write_eof():
                connection.transport.write_eof()
                await asyncio.wait([self._task], timeout=min(LINGER, self._options.close_timeout))
        finally:
            self._stop_timer()
            try:
                await self._session.cancel(self._task, abort=at_once or (abort and self.core.confirms))
            finally:
                if tell is not None:
                    self._tell_left(tell)

    def _tell_left(self, asked: Asked) -> None:
        with self._lock:
            left = self.core.what_is_left(asked) if self.core.left(asked) else None
        if left is not None and not self._options.is_heard:
            _process.tell(left)
        elif left is not None:
            with contextlib.suppress(Exception):
                self._options.emit(Unsettled(left))

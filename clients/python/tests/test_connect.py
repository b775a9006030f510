"""Names with several addresses, over real sockets: which address answers is the test's choice."""

import asyncio
import contextlib
import gc
import socket
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from test_clients import HANG, SOON, FakeRelay
from test_core import welcome

from msgrelay import (
    Connected,
    ConnectionFailed,
    PublisherOptions,
    Reconnect,
    SubscriberOptions,
    UsageError,
    _connect,
    _local,
    aio,
)
from msgrelay.options import Endpoint


class KeepAliveTest(unittest.IsolatedAsyncioTestCase):
    async def test_options_of_the_socket(self) -> None:
        relay = FakeRelay()
        self.addCleanup(relay.close)

        async def look(client: Any) -> dict:
            try:
                with await asyncio.get_running_loop().run_in_executor(None, relay.accept_plain):
                    await client.connected()
                    made = client._session._session.connection.transport.get_extra_info("socket")
                    self.assertEqual(1, made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
                    names = (*_connect.KEEP_ALIVE, "TCP_USER_TIMEOUT")
                    known = [name for name in names if hasattr(socket, name)]
                    return {n: made.getsockopt(socket.IPPROTO_TCP, getattr(socket, n)) for n in known}
            finally:
                await client.close()

        expected = {**_connect.KEEP_ALIVE, "TCP_USER_TIMEOUT": 0}
        for name, value in (await look(aio.Subscriber(SubscriberOptions(relay.endpoint, plain=True)))).items():
            self.assertEqual(expected[name], value, name)
        expected["TCP_USER_TIMEOUT"] = 30_000
        for name, value in (await look(aio.Publisher(PublisherOptions(relay.endpoint, plain=True)))).items():
            self.assertEqual(expected[name], value, name)


@unittest.skipUnless(sys.platform == "linux", "the system has no TCP_CONGESTION")
class CongestionTest(unittest.IsolatedAsyncioTestCase):
    @staticmethod
    def of(made: Any) -> str:
        name: bytes = made.getsockopt(socket.IPPROTO_TCP, _local.TCP_CONGESTION, 16)
        return name.partition(b"\0")[0].decode()

    async def used(self, **options: Any) -> list[str]:
        """What a publisher's connection has, and the next one after a cut."""
        relay = FakeRelay()
        self.addCleanup(relay.close)
        connected: asyncio.Queue = asyncio.Queue()

        def note(event: Any) -> None:
            if isinstance(event, Connected):
                connected.put_nowait(event)

        given = PublisherOptions(relay.endpoint, plain=True, reconnect=SOON, on_event=note, **options)
        used = []
        async with aio.Publisher(given) as publisher:
            for _ in range(2):
                with await asyncio.get_running_loop().run_in_executor(None, relay.accept_plain):
                    await connected.get()
                    made: Any = publisher._session._session.connection
                    used.append(self.of(made.transport.get_extra_info("socket")))
        return used

    async def test_to_this_host(self) -> None:
        # What a socket has that nobody has touched, and one that was asked for these names in turn.
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            socket.create_connection(listener.getsockname()) as untouched,
        ):
            system = self.of(untouched)
            try:
                untouched.setsockopt(socket.IPPROTO_TCP, _local.TCP_CONGESTION, b"reno")
            except OSError as e:
                self.skipTest(f"the system lets nobody choose a congestion control: {e}")
            with contextlib.suppress(OSError):
                untouched.setsockopt(socket.IPPROTO_TCP, _local.TCP_CONGESTION, b"cubic")
            automatic = self.of(untouched)
        self.assertEqual(["reno"] * 2, await self.used(local_congestion="reno"))
        self.assertEqual([system] * 2, await self.used(local_congestion="system"))
        self.assertEqual([automatic] * 2, await self.used())

    async def test_far_peer(self) -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            socket.create_connection(listener.getsockname()) as made,
        ):
            here = {"127.0.0.1": True, "127.3.2.1": True, "::1": True, "::ffff:127.0.0.1": True, "fe80::1%eth0": False}
            self.assertTrue(_local.leads_to_this_host(made.family, made.getpeername()))
            for address, expected in here.items():
                self.assertEqual(expected, _local.is_loopback((address, 1)), address)
            for own, peer, expected in (
                ("192.0.2.1", "192.0.2.1", True),
                ("192.0.2.1", "192.0.2.2", False),
                ("2001:db8::1", "2001:db8::1", True),
                ("2001:db8::1", "2001:db8::2", False),
                ("127.0.0.1", "127.3.2.1", True),
            ):
                looked = mock.Mock(wraps=made)
                looked.getsockname.return_value, looked.getpeername.return_value = (own, 1), (peer, 2)
                self.assertEqual(expected, _local.is_to_this_host(looked), (own, peer))

    def test_names_that_are_none(self) -> None:
        for name in ("nonesuch", "", "reno" * 5, "reno\0", "\ud800"):
            with self.assertRaises(UsageError) as caught:
                PublisherOptions("127.0.0.1:1", local_congestion=name)
            self.assertIn(repr(name), str(caught.exception))


class RaceTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.relay = FakeRelay()
        self.addCleanup(self.relay.close)
        self.loop: Any = asyncio.get_running_loop()
        self.tried: list = []
        self.hanging: set = set()
        self.made: list = []
        self.addresses = ["127.0.0.1"]
        connect, new = self.loop.sock_connect, socket.socket

        async def getaddrinfo(host: str, port: int, **_: Any) -> list:
            self.assertEqual("relay.example", host)
            kinds = [socket.AF_INET6 if ":" in a else socket.AF_INET for a in self.addresses]
            return [(k, socket.SOCK_STREAM, 6, "", (a, port)) for k, a in zip(kinds, self.addresses)]

        async def sock_connect(made: socket.socket, address: tuple) -> None:
            self.tried.append(address[0])
            self.made.append(made)
            if address[0] in self.hanging:
                await self.loop.create_future()
            if address[0] != "127.0.0.1":
                raise ConnectionRefusedError(f"refused by {address[0]}")
            await connect(made, address)

        self.loop.getaddrinfo = getaddrinfo
        self.loop.sock_connect = sock_connect
        # Not each machine has both families.
        self.addCleanup(setattr, socket, "socket", new)
        socket.socket = lambda family=-1, *rest, **how: new(  # type: ignore[misc, assignment]
            socket.AF_INET if family == socket.AF_INET6 else family, *rest, **how
        )

    def options(self, **given: Any) -> SubscriberOptions:
        port = self.relay.endpoint.rpartition(":")[2]
        return SubscriberOptions(f"relay.example:{port}", reconnect=Reconnect(rounds=0), **given)

    async def connects(self) -> None:
        async with aio.Subscriber(self.options()) as subscriber:
            with await self.loop.run_in_executor(None, self.relay.accept, welcome()):
                await subscriber.connected()
        self.assertEqual([-1] * len(self.made), [one.fileno() for one in self.made])
        gc.collect()
        self.assertEqual({asyncio.current_task()}, asyncio.all_tasks())

    async def test_first_address_hangs(self) -> None:
        self.addresses = ["10.0.0.1", "10.0.0.2", "127.0.0.1"]
        self.hanging = {"10.0.0.1", "10.0.0.2"}
        await self.connects()
        self.assertEqual(self.addresses, self.tried)

    async def test_first_address_refuses(self) -> None:
        # The second one's turn comes without its wait.
        self.addCleanup(setattr, _connect, "NEXT_ADDRESS", _connect.NEXT_ADDRESS)
        _connect.NEXT_ADDRESS = HANG
        self.addresses = ["10.0.0.1", "127.0.0.1"]
        await self.connects()
        self.assertEqual(self.addresses, self.tried)

    async def test_families_in_turn(self) -> None:
        self.addresses = ["::1", "::2", "::3", "10.0.0.1", "127.0.0.1"]
        await self.connects()
        self.assertEqual(["::1", "10.0.0.1", "::2", "127.0.0.1"], self.tried)

    async def test_no_address_answers(self) -> None:
        self.addresses = ["10.0.0.1", "10.0.0.2"]
        async with aio.Subscriber(self.options()) as subscriber:
            with self.assertRaisesRegex(ConnectionFailed, "refused by 10.0.0.1; refused by 10.0.0.2"):
                await subscriber.connected()

    async def test_one_time_out_for_all(self) -> None:
        self.addresses = [f"10.0.0.{i}" for i in range(1, 100)]
        self.hanging = set(self.addresses)
        async with aio.Subscriber(self.options(connect_timeout=0.6)) as subscriber:
            with self.assertRaisesRegex(ConnectionFailed, "no connection .* within 0.6 s"):
                await subscriber.connected()
        self.assertLess(len(self.tried), 99)
        self.assertEqual([-1] * len(self.made), [one.fileno() for one in self.made])

    async def test_cancelled_at_any_moment(self) -> None:
        self.addresses = ["10.0.0.1", "10.0.0.2", "127.0.0.1", "127.0.0.1"]
        self.hanging = {"10.0.0.1"}
        self.addCleanup(setattr, _connect, "NEXT_ADDRESS", _connect.NEXT_ADDRESS)
        _connect.NEXT_ADDRESS = 0
        endpoint = Endpoint.parse(self.options().endpoints)  # type: ignore[arg-type]
        won = 0
        for turns in range(40):
            racing = asyncio.ensure_future(_connect.connected_socket(endpoint, plain_publisher=False))
            for _ in range(turns):
                await asyncio.sleep(0)
            racing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                (await racing).close()
                won += 1
            self.assertEqual({asyncio.current_task()}, asyncio.all_tasks())
            self.assertEqual({-1}, {one.fileno() for one in self.made} | {-1})
        self.assertGreater(won, 0)


if __name__ == "__main__":
    unittest.main()

"""The driver of this library for the conformance kit: clients/conformance/README.md.

``--threads`` drives the clients for plain threads, otherwise those for asyncio run, on a loop of their own thread;
with ``--uvloop`` on uvloop's, which must be installed.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Union

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import msgrelay
from msgrelay import aio, threads

Subscriber = Union[aio.Subscriber, threads.Subscriber]
Publisher = Union[aio.Publisher, threads.Publisher]

_OUT = threading.Lock()


def tell(event: str, **fields: Any) -> None:
    line = {"event": event, **{k.rstrip("_"): v for k, v in fields.items() if v is not None}}
    with _OUT:
        sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def tell_error(error: msgrelay.RelayError, command: str | None = None) -> None:
    tell("error", kind=error.kind, code=error.code, text=str(error), command=command)


def tell_item(item: msgrelay.Item) -> None:
    if isinstance(item, msgrelay.Message):
        tell("message", sequence=str(item.sequence), type=item.type, body=base64.b64encode(item.body).decode())
    elif isinstance(item, msgrelay.Gap):
        tell("gap", from_=str(item.from_), to=str(item.to), reason=item.reason)
    elif isinstance(item, msgrelay.StreamChanged):
        tell("stream_changed", lost_from=str(item.lost_from))
    elif isinstance(item, msgrelay.RolledBack):
        tell("rolled_back", from_=str(item.from_), to=str(item.to))
    elif isinstance(item, msgrelay.Connected):
        tell_connected(item)
    elif isinstance(item, msgrelay.StateComplete):
        tell("state_complete", next=str(item.next))
    elif isinstance(item, msgrelay.Missed):
        tell("missed")


def tell_connected(event: msgrelay.Connected) -> None:
    if event.plain:
        tell("connected", endpoint=event.endpoint, plain=True)
    else:
        tell(
            "connected",
            endpoint=event.endpoint,
            plain=False,
            epoch=str(event.epoch),
            next=str(event.next),
            accepted=str(event.accepted),
            policy=event.policy,
            server=event.server,
            address=event.address,
            identity=event.identity,
            anew=event.anew,
            interval_ms=None if event.interval is None else round(event.interval * 1000),
        )


def tell_event(event: msgrelay.Event) -> None:
    if isinstance(event, msgrelay.Connected):
        # With start = state it is also an item, in its place.
        if event.anew is None:
            tell_connected(event)
    elif isinstance(event, msgrelay.Lost):
        tell("lost", code=event.error.code, text=str(event.error))
    elif isinstance(event, msgrelay.GoingAway):
        tell("going_away", code=event.code, closes_in_ms=round(event.closes_in * 1000))
    elif isinstance(event, msgrelay.InDoubt):
        tell("in_doubt", messages=str(event.messages))
    elif isinstance(event, msgrelay.StateLate):
        tell("state_late")
    elif isinstance(event, msgrelay.Certificate):
        tell("certificate", days=event.days)


def tell_publishers_event(event: msgrelay.Event) -> None:
    if isinstance(event, msgrelay.StreamChanged):
        tell("stream_changed")
    elif isinstance(event, msgrelay.RolledBack):
        tell_item(event)
    elif isinstance(event, msgrelay.GaveUp):
        tell_error(event.error)
    else:
        tell_event(event)


def connection_options(command: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"endpoints": command["endpoints"]}
    for name in ("plain", "name", "token", "max_body", "level", "local_congestion"):
        if name in command:
            options[name] = command[name]
    for name in ("heartbeat", "connect_timeout", "handshake_timeout", "close_timeout"):
        if f"{name}_ms" in command:
            options[name] = command[f"{name}_ms"] / 1000
    if "reconnect" in command:
        how = command["reconnect"]
        options["reconnect"] = msgrelay.Reconnect(
            rounds=None if how["rounds"] == -1 else how["rounds"],
            first=how["first_ms"] / 1000,
            longest=how["longest_ms"] / 1000,
            jitter=how["jitter"],
        )
    if "tls" in command:
        options["tls"] = msgrelay.Tls(**command["tls"])
    if "buffer" in command:
        options["buffer"] = command["buffer"]
    return options


def subscriber_options(command: dict[str, Any]) -> msgrelay.SubscriberOptions:
    options = connection_options(command)
    if "types" in command:
        options["types"] = [tuple(r) for r in command["types"]]
    if "interval_ms" in command:
        options["interval"] = command["interval_ms"] / 1000
    start = command.get("start", "live")
    if start == "sequence":
        start = msgrelay.FromSequence(int(command["sequence"]), int(command.get("epoch", "0")))
    elif start == "state" and "sequence" in command:
        start = msgrelay.FromState(int(command["sequence"]), int(command.get("epoch", "0")))
    elif start == "time":
        start = msgrelay.FromTime(int(command["time_ms"]))
    policy = command.get("policy", "default")
    return msgrelay.SubscriberOptions(start=start, policy=policy, on_event=tell_event, **options)


def publisher_options(command: dict[str, Any]) -> msgrelay.PublisherOptions:
    options = connection_options(command)
    for name in ("acks", "producer_file"):
        if name in command:
            options[name] = command[name]
    for name in ("epoch", "first_number"):
        if name in command:
            options[name] = int(command[name])
    if "producer" in command:
        options["producer"] = bytes.fromhex(command["producer"])
    return msgrelay.PublisherOptions(
        on_event=tell_publishers_event,
        on_ack=lambda number, sequence: tell("acked", number=str(number), sequence=str(sequence)),
        **options,
    )


class Driver:
    def __init__(self, with_threads: bool, with_uvloop: bool) -> None:
        self._with_threads = with_threads
        self._loop: asyncio.AbstractEventLoop
        if with_uvloop:
            self._loop = importlib.import_module("uvloop").new_event_loop()
        else:
            self._loop = asyncio.new_event_loop()
        if not with_threads:
            threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._subscriber: Subscriber | None = None
        self._publisher: Publisher | None = None
        self._reading: Any = None
        # The threads' reader holds it while it hands over a message; a pause holds it.
        self._turn = threading.Lock()
        self._paused = False

    def obey(self, command: dict[str, Any]) -> None:
        name = command["command"]
        try:
            getattr(self, f"_{name}")(command)
        except msgrelay.RelayError as e:
            tell_error(e, name)
        except ValueError as e:
            tell("error", kind="yours", code=0, text=str(e), command=name)

    def _run(self, call: Callable[[], Any]) -> Any:
        """Calls on the loop's thread, and awaits the result there; the clients for threads are called here."""
        if self._with_threads:
            return call()

        async def on_loop() -> Any:
            result = call()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(on_loop(), self._loop).result()

    def _open(self, command: dict[str, Any]) -> None:
        module: Any = threads if self._with_threads else aio
        if command["role"] == "subscriber":
            reading = subscriber_options(command)
            tell("opened")
            subscriber = self._subscriber = self._run(lambda: module.Subscriber(reading))
            if isinstance(subscriber, threads.Subscriber):
                self._reading = threading.Thread(target=self._read, args=(subscriber,), daemon=True)
                self._reading.start()
            else:
                self._reading = asyncio.run_coroutine_threadsafe(self._aread(subscriber), self._loop)
        else:
            writing = publisher_options(command)
            tell("opened")
            self._publisher = self._run(lambda: module.Publisher(writing))

    def _read(self, subscriber: threads.Subscriber) -> None:
        try:
            for item in subscriber:
                with self._turn:
                    tell_item(item)
        except msgrelay.RelayError as e:
            tell_error(e)

    async def _aread(self, subscriber: aio.Subscriber) -> None:
        try:
            async for item in subscriber:
                while self._paused:
                    await asyncio.sleep(0.005)
                tell_item(item)
        except msgrelay.RelayError as e:
            tell_error(e)

    def _publish(self, command: dict[str, Any]) -> None:
        body = bytearray(base64.b64decode(command["body"]))
        wait = command.get("wait_ms", 60_000) / 1000
        publisher = self._publisher
        taken = 0
        for i in range(command.get("count", 1)):
            if command.get("stamp"):
                body[:8] = i.to_bytes(8, "big")
            if isinstance(publisher, aio.Publisher):
                one = self._run(lambda: self._apublish(publisher, command["type"], bytes(body), wait))
            else:
                assert publisher is not None
                one = publisher.publish(command["type"], body, wait)
            if not one:
                break
            taken += 1
        tell("published", taken=taken, full=taken < command.get("count", 1))

    async def _apublish(self, publisher: aio.Publisher, type_: int, body: bytes, wait: float) -> bool:
        if publisher.offer(type_, body):
            return True
        try:
            await asyncio.wait_for(publisher.publish(type_, body), wait)
            return True
        except asyncio.TimeoutError:
            return False

    def _types(self, command: dict[str, Any]) -> None:
        subscriber = self._subscriber
        assert subscriber is not None
        ranges = [tuple(r) for r in command["ranges"]]
        sequence = self._run(lambda: subscriber.types(ranges))
        tell("types", sequence=str(sequence))

    def _flush(self, command: dict[str, Any]) -> None:
        publisher = self._publisher
        assert publisher is not None
        try:
            settled = self._run(lambda: publisher.flush(command["wait_ms"] / 1000))
        except msgrelay.NotDone:
            settled = False
        tell("flushed", settled=settled)

    def _pause(self, _command: dict[str, Any]) -> None:
        self._turn.acquire()
        self._paused = True
        tell("paused")

    def _resume(self, _command: dict[str, Any]) -> None:
        self._go_on()
        tell("resumed")

    def _go_on(self) -> None:
        if self._paused:
            self._paused = False
            self._turn.release()

    def _counters(self, _command: dict[str, Any]) -> None:
        if self._subscriber is not None:
            names = ["messages", "bytes", "epoch", "next", "head"]
        else:
            names = ["messages", "bytes", "settled", "confirmed", "first_number"]
        client: Any = self._subscriber or self._publisher
        tell("counters", **self._run(lambda: {name: str(getattr(client, name)) for name in names}))

    def _close(self, _command: dict[str, Any]) -> None:
        unsettled = 0
        subscriber, self._subscriber = self._subscriber, None
        if subscriber is not None:
            self._run(subscriber.close)
            self._go_on()
            if isinstance(self._reading, threading.Thread):
                self._reading.join()
            else:
                self._reading.result()
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            unsettled = self._run(publisher.close)
        tell("closed", unsettled=str(unsettled))


def main() -> None:
    driver = Driver("--threads" in sys.argv[1:], "--uvloop" in sys.argv[1:])
    tell(
        "ready",
        client="python",
        version=msgrelay.__version__,
        capabilities=(
            "subscriber publisher plain levels types tls token unix endpoints producer_file pause time "
            "congestion state peer certificate".split()
        ),
    )
    commands = sys.stdin
    for line in commands:
        command = json.loads(line)
        if command["command"] == "types":
            # The kit goes on before the answer comes.
            threading.Thread(target=driver.obey, args=(command,), daemon=True).start()
        else:
            driver.obey(command)


if __name__ == "__main__":
    main()

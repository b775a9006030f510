"""Cache events of inference servers, from the workers to the routers, without numbering and replay by hand.

A worker of an inference server (vLLM, SGLang, ...) says which blocks of tokens its KV cache holds; a router sends each
request to the worker that holds most of its prefix. Each worker is a publisher with acknowledgements: what it has
published is in the stream once, in order, also over a restart of the relay or a cut. A router starts at the beginning
of the relay's journal, so it knows all caches at once; it is told each gap; and it stores its index together with its
place in the stream, so that it resumes there.

What start="state" would give it, and what not: the relay would send of each type the newest message, and then the
stream. These events are changes, and the newest change does not stand for those before it, which are passed over. So
the router reads all of them. If each worker had a type of its own for its snapshots, and told one every minute, state
would give a router that starts the newest snapshot of each worker, without a journal: up to a minute old, and exact
once the worker has told the next one.

    relay-server --journal=/var/lib/relay
    kv_events.py worker 127.0.0.1:7401 --id=1
    kv_events.py router 127.0.0.1:7400 --state=router.json
    kv_events.py demo 127.0.0.1:7401 127.0.0.1:7400      all of it for some seconds, and a check that nothing is missing
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import json
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

from msgrelay import (
    Event,
    FromSequence,
    Gap,
    GaveUp,
    Lost,
    Message,
    PublisherOptions,
    RelayError,
    RolledBack,
    StreamChanged,
    SubscriberOptions,
    aio,
    threads,
)

# Types of messages.
STORED, REMOVED, SNAPSHOT = 1, 2, 3


def log(who: str, event: object) -> None:
    print(f"{time.strftime('%H:%M:%S')} {who}: {event}", file=sys.stderr, flush=True)


class CacheEvents:
    """A worker's side. The engine's thread calls it; it never waits."""

    def __init__(self, relay: str, worker: str) -> None:
        self._worker = worker
        self.blocks: set[str] = set()
        self._told = False
        # The publisher has given up: the cache serves on without its router.
        self.is_over = False
        options = PublisherOptions(
            relay,
            # The relay counts under this name. A worker that starts anew draws a new id, and sends a snapshot first.
            name=f"kv-{worker}",
            acks=True,
            level="written",
            on_event=self._on_event,
        )
        self.publisher = threads.Publisher(options)

    def stored(self, *blocks: str) -> None:
        self.blocks.update(blocks)
        self._publish(STORED, list(blocks))

    def removed(self, *blocks: str) -> None:
        self.blocks.difference_update(blocks)
        self._publish(REMOVED, list(blocks))

    def _publish(self, type_: int, blocks: list[str]) -> None:
        if self.is_over:
            return
        # The first event, and the first one that has room again after the buffer was full, tells the whole cache.
        if not self._told:
            type_, blocks = SNAPSHOT, sorted(self.blocks)
        body = json.dumps({"worker": self._worker, "blocks": blocks}).encode()
        try:
            self._told = self.publisher.publish(type_, body, timeout=0)
        except RelayError as e:
            self._told = False
            if not self.is_over:
                log(self._worker, e)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, (Lost, GaveUp)):
            self.is_over = isinstance(event, GaveUp)
            log(self._worker, event)
        elif isinstance(event, (RolledBack, StreamChanged)):
            # What the relay had acknowledged is gone.
            self._told = False
            log(self._worker, event)

    def close(self) -> int:
        return self.publisher.close()


class Router:
    """Knows which worker holds which blocks."""

    def __init__(self, relay: str, state: Path) -> None:
        self.relay = relay
        self._state = state
        self.index: dict[str, set[str]] = {}
        self.gaps = 0
        self.place: FromSequence | None = None
        with contextlib.suppress(FileNotFoundError):
            kept = json.loads(state.read_text())
            self.place = FromSequence(**kept["place"])
            self.index = {worker: set(blocks) for worker, blocks in kept["index"].items()}

    async def run(self) -> None:
        options = SubscriberOptions(
            self.relay,
            name="kv-router",
            types=[(STORED, SNAPSHOT)],
            # From the journal's beginning, or where the index ends.
            start=self.place or "earliest",
            policy="replay",
            on_event=lambda e: log("router", e) if isinstance(e, Lost) else None,
        )
        async with aio.Subscriber(options) as subscriber:
            try:
                while items := await subscriber.batch():
                    for item in items:
                        self._take(item)
                    self.place = FromSequence(subscriber.next, subscriber.epoch, subscriber.epochs)
            finally:
                self._store()

    def _take(self, item: object) -> None:
        if isinstance(item, Message):
            event = json.loads(item.body)
            held = self.index.setdefault(event["worker"], set())
            if item.type == REMOVED:
                held.difference_update(event["blocks"])
            else:
                if item.type == SNAPSHOT:
                    held.clear()
                held.update(event["blocks"])
        elif isinstance(item, (Gap, StreamChanged, RolledBack)):
            # A block that was removed in the gap would attract requests for ever; a forgotten one costs a prefill.
            self.gaps += 1
            log("router", f"{item}: forgets the caches, and learns them again")
            self.index.clear()

    def _store(self) -> None:
        if self.place is not None:
            index = {worker: sorted(blocks) for worker, blocks in self.index.items()}
            draft = self._state.with_suffix(".draft")
            draft.write_text(json.dumps({"place": dataclasses.asdict(self.place), "index": index}))
            draft.replace(self._state)

    def best(self, prefix: list[str]) -> str | None:
        """The worker that holds most of a request's first blocks."""

        def held(worker: str) -> int:
            blocks = self.index[worker]
            return next((i for i, block in enumerate(prefix) if block not in blocks), len(prefix))

        return max(self.index, key=held, default=None)


def fake_engine(events: CacheEvents, stop: threading.Event, count: int | None, pause: float = 0.001) -> None:
    """A worker that serves random requests with a cache of 1,000 blocks."""
    chance = random.Random()
    done = 0
    while not stop.is_set() and (count is None or done < count):
        events.stored(*(f"{chance.getrandbits(64):016x}" for _ in range(chance.randint(1, 8))))
        while len(events.blocks) > 1000:
            events.removed(next(iter(events.blocks)))
        done += 1
        stop.wait(pause)


async def demo(publish: str, subscribe: str, state: Path) -> int:
    """Three workers, and a router that is stopped and resumes; then its index must be what the workers hold."""
    stop = threading.Event()
    workers = {name: CacheEvents(publish, name) for name in ("worker-1", "worker-2", "worker-3")}
    engines = [threading.Thread(target=fake_engine, args=(w, stop, 2000)) for w in workers.values()]
    for engine in engines:
        engine.start()
    loop = asyncio.get_running_loop()
    for _ in range(3):
        router = Router(subscribe, state)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(router.run(), 0.7)
        log("router", f"stops at {router.place}, knows {sum(map(len, router.index.values()))} blocks")
    for engine in engines:
        await loop.run_in_executor(None, engine.join)
    unsettled = 0
    for worker in workers.values():
        unsettled += await loop.run_in_executor(None, worker.close)
    if any(worker.is_over for worker in workers.values()):
        log("demo", "a worker has given up")
        return 1
    router = Router(subscribe, state)
    running = asyncio.ensure_future(router.run())
    truth = {name: worker.blocks for name, worker in workers.items()}
    while not running.done() and {name: router.index.get(name) for name in truth} != truth:
        await asyncio.sleep(0.05)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    request = list(truth["worker-2"])[:3]
    log("router", f"knows every block of every worker; {request} goes to {router.best(request)}")
    log("demo", f"{router.gaps} gaps, {unsettled} events without an acknowledgement")
    return 0 if router.best(request) == "worker-2" and unsettled == 0 else 1


def main() -> int:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands: Any = cli.add_subparsers(dest="command", required=True)
    worker = commands.add_parser("worker")
    worker.add_argument("relay")
    worker.add_argument("--id", default="1")
    router = commands.add_parser("router")
    router.add_argument("relay")
    router.add_argument("--state", type=Path, default=Path("router.json"))
    both = commands.add_parser("demo")
    both.add_argument("publish")
    both.add_argument("subscribe")
    both.add_argument("--state", type=Path, default=Path("router.json"))
    given = cli.parse_args()
    if given.command == "worker":
        events = CacheEvents(given.relay, f"worker-{given.id}")
        try:
            fake_engine(events, threading.Event(), None)
        finally:
            log("worker", f"{events.close()} events were not acknowledged")
    elif given.command == "router":
        asyncio.run(Router(given.relay, given.state).run())
    else:
        return asyncio.run(demo(given.publish, given.subscribe, given.state))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except RelayError as e:
        sys.exit(f"kv_events: {e}")

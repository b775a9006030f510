"""A price board: the newest price of each symbol, from the first moment on, and what was passed over.

Each symbol has a type of its own, which is the key: the relay sends the newest message of each type, and then, five
times a second, that of each type that has changed since.

    relay-server --state=16m
    price_board.py 127.0.0.1:7400
    price_board.py 127.0.0.1:7400 --feed=127.0.0.1:7401      also publishes prices, to have something to see
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time

from msgrelay import Event, Lost, PublisherOptions, RelayError, StateView, SubscriberOptions, threads

SYMBOLS = {1: "AAA", 2: "BBB", 3: "CCC", 4: "DDD"}


def feed(relay: str) -> None:
    """Publishes prices; an empty body takes a symbol off the board."""
    with threads.Publisher(PublisherOptions(relay, name="prices")) as publisher:
        while True:
            price = b"" if random.random() < 0.01 else b"%.2f" % random.uniform(10, 500)
            publisher.publish(random.choice(list(SYMBOLS)), price)
            time.sleep(0.001)


def draw(view: StateView) -> None:
    cells = [f"{name} {(view.get(type_) or b'-').decode():>6}" for type_, name in SYMBOLS.items()]
    whole = "whole" if view.whole() else "NOT WHOLE"
    print(*cells, f"{whole}, as of {view.next - 1}, {view.superseded} passed over", sep="  ", flush=True)


def tell(event: Event) -> None:
    if isinstance(event, Lost):
        print(f"the prices are old: {event.error}", file=sys.stderr)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("relay")
    cli.add_argument("--feed", metavar="PUBLISH_PORT")
    given = cli.parse_args()
    if given.feed:
        threading.Thread(target=feed, args=(given.feed,), daemon=True).start()
    options = SubscriberOptions(given.relay, start="state", types=[(1, 4)], interval=0.2, on_event=tell)
    view = StateView(lambda _changed: draw(view))
    with threads.Subscriber(options) as subscriber:
        while items := subscriber.batch():
            view.take(*items)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except RelayError as e:
        sys.exit(f"price_board: {e}")

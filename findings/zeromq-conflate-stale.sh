#!/usr/bin/env bash
# ZeroMQ 4.3.5 (pyzmq 27.3.0): a SUB socket with ZMQ_CONFLATE, "keep only the last message", can end with an old one. The
# option takes away the reader's queue alone. The queue of PUB has its high-water mark of 1,000 messages still, and drops
# the newest messages when it is full, without a word. So behind a burst the reader's newest value is not the last one that
# was published, and stays wrong until something else is published. With ZMQ_CONFLATE on PUB too, which then keeps one
# message for all topics, the last one always comes.
#
# Seen, 6 bursts of 200,000 messages and then "last", read a second later:
#   CONFLATE on SUB          | 0 of 6 readers have "last"; they have one of 186,004 to 199,725
#   CONFLATE on SUB and PUB  | 6 of 6 readers have "last"
#
# Needs Python 3 with pip. Ends with 1 if no reader of the first kind is behind, or one of the second is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q --disable-pip-version-check install pyzmq==27.3.0
cat >"$folder/conflate.py" <<'PYTHON'
import sys
import time

import zmq


def burst(on_pub):
    context = zmq.Context()
    pub = context.socket(zmq.PUB)
    if on_pub:
        pub.setsockopt(zmq.CONFLATE, 1)
    port = pub.bind_to_random_port("tcp://127.0.0.1")
    sub = context.socket(zmq.SUB)
    sub.setsockopt(zmq.CONFLATE, 1)
    sub.setsockopt(zmq.SUBSCRIBE, b"")
    sub.connect(f"tcp://127.0.0.1:{port}")
    while True:
        pub.send(b"are you there")
        if sub.poll(100):
            sub.recv()
            break
    for i in range(200_000):
        pub.send(b"%d" % i)
    pub.send(b"last")
    time.sleep(1)
    newest = None
    while sub.poll(200):
        newest = sub.recv()
    context.destroy(0)
    return newest


print("ZeroMQ", zmq.zmq_version())
alone = [burst(False) for _ in range(6)]
both = [burst(True) for _ in range(6)]
for name, seen in ("CONFLATE on SUB", alone), ("CONFLATE on SUB and PUB", both):
    print(f"{name:24} | {seen.count(b'last')} of 6 readers have \"last\":", *(one.decode() for one in seen))
sys.exit(0 if alone.count(b"last") < 6 and both.count(b"last") == 6 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/conflate.py"

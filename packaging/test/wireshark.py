#!/usr/bin/env python3
"""Traffic and captures for wireshark.sh.

wireshark.py plain|numbered|tls DIRECTORY     real clients at the relay of this host's default ports; what they sent and
                                              got goes to DIRECTORY
wireshark.py ended CAPTURE                    waits until each connection of the capture has ended in it
wireshark.py edit CAPTURE TO HOW              a capture of one direction of CAPTURE's largest connection; HOW below
wireshark.py vectors DIRECTORY TO             a capture with a connection for each test vector; prints a line for each
"""

import pathlib
import socket
import struct
import sys
import time

COUNT = 20_000
TYPE = 7
# The bodies hold small numbers and zeros, as those of many programs do: a search for frames must not fall for them.
BODY = 92
HANG = 120.0


def body(number: int) -> bytes:
    return struct.pack(">qqi", number, number * 1000, 3) + bytes(BODY - 20)


def parse(stream: bytes):
    """The frames of a stream that begins with one: offset, type and length of each that is whole."""
    at = 0
    while at + 8 <= len(stream):
        kind, length = struct.unpack_from(">ii", stream, at)
        if at + 8 + length > len(stream):
            return
        yield at, kind, length
        at += 8 + length


def plain(directory: pathlib.Path) -> None:
    """A plain publisher and a plain subscriber, by sockets. `frames` gets how many messages the subscriber got."""
    subscriber = socket.create_connection(("127.0.0.1", 7400))
    publisher = socket.create_connection(("127.0.0.1", 7401))
    # A plain subscriber is not told when its stream begins: it has begun with the first message that comes.
    deadline = time.monotonic() + HANG
    got = b""
    subscriber.settimeout(0.05)
    while not got:
        publisher.sendall(struct.pack(">ii", 1, 4) + b"here")
        try:
            got = subscriber.recv(1 << 20)
        except TimeoutError:
            assert time.monotonic() < deadline, "no message came"
    subscriber.settimeout(HANG)
    frames = b"".join(struct.pack(">ii", TYPE, BODY) + body(number) for number in range(1, COUNT + 1))
    received = bytearray(got)
    # Whole frames, so that all of them come back before the next ones are sent.
    step = 65_483 // (8 + BODY) * (8 + BODY)
    for at in range(0, len(frames), step):
        part = frames[at : at + step]
        publisher.sendall(part)
        while not received.endswith(part[-8 - BODY :]):
            chunk = subscriber.recv(1 << 20)
            assert chunk, "the relay has ended the connection"
            received += chunk
    kinds = [kind for _, kind, _ in parse(bytes(received))]
    assert kinds.count(TYPE) == COUNT, kinds.count(TYPE)
    (directory / "frames").write_text(f"{len(kinds)}\n")
    publisher.close()
    subscriber.close()


def tls_options(tls: bool):
    if not tls:
        return None
    from msgrelay import Tls

    return Tls(ca=pathlib.Path(__file__).parents[2] / "clients/conformance/tls/ca.pem", server_name="localhost")


def numbered(directory: pathlib.Path, tls: bool) -> None:
    """The Python client with HELLO and ACKS: live, of some types, behind a gap, refused. Files have what each one got."""
    from msgrelay import FromSequence, Gap, Message, PublisherOptions, SubscriberOptions, threads

    subscribe, publish = ("127.0.0.1:7410", "127.0.0.1:7411") if tls else ("127.0.0.1:7400", "127.0.0.1:7401")
    security = tls_options(tls)

    def read(subscriber, until: int) -> list:
        items = []
        while not items or not (isinstance(items[-1], Message) and items[-1].sequence >= until):
            more = subscriber.batch(HANG)
            assert more, "nothing came"
            items.extend(more)
        return items

    name = "tls" if tls else "numbered"
    live = threads.Subscriber(SubscriberOptions(subscribe, name="audit", heartbeat=0.1, tls=security))
    some = threads.Subscriber(SubscriberOptions(subscribe, name="some", types=[(8, 8)], tls=security))
    assert live.connected(HANG) and some.connected(HANG)
    with threads.Publisher(PublisherOptions(publish, name=f"orders-{name}", acks=True, tls=security)) as publisher:
        begins = live.next
        got = []
        for number in range(1, COUNT + 1):
            publisher.publish(8 if number % 1000 == 0 else TYPE, body(number))
            if number % 500 == 0:
                # PINGs come between the messages, and the reader is never behind.
                publisher.flush(HANG)
                got += read(live, begins + number - 1)
        publisher.flush(HANG)
    some_got = read(some, begins + COUNT - 1)
    live.close()
    some.close()
    with threads.Subscriber(SubscriberOptions(subscribe, name="late", start=FromSequence(1), tls=security)) as late:
        late_got = read(late, begins + COUNT - 1)
    for what, items in (("live", got), ("some", some_got), ("late", late_got)):
        sequences = [item.sequence for item in items if isinstance(item, Message)]
        gaps = [(item.from_, item.to) for item in items if isinstance(item, Gap)]
        (directory / f"{name}.{what}").write_text("".join(f"{sequence}\n" for sequence in sequences))
        (directory / f"{name}.{what}.gaps").write_text("".join(f"{a}\t{b}\n" for a, b in gaps))
    if not tls:
        # A message on the subscribe port.
        with socket.create_connection(("127.0.0.1", 7400)) as wrong:
            wrong.settimeout(HANG)
            wrong.sendall(struct.pack(">ii", 1, 0))
            while wrong.recv(65_536):
                pass


class Packet:
    """A TCP packet of a capture of Ethernet, such as one of the loopback's, with IPv4."""

    def __init__(self, seconds: int, micros: int, data: bytes) -> None:
        self.seconds, self.micros, self.data = seconds, micros, data
        header = 14 + (data[14] & 15) * 4
        self.source, self.target, self.sequence = struct.unpack_from(">HHI", data, header)
        self.offset = header + (data[header + 12] >> 4) * 4
        self.flags = data[header + 13]
        end = 14 + struct.unpack_from(">H", data, 16)[0]
        self.payload = data[self.offset : end]

    @property
    def way(self) -> tuple[int, int]:
        return self.source, self.target


def read_capture(path: pathlib.Path) -> list[Packet]:
    data = path.read_bytes()
    if len(data) < 24:
        return []
    magic, _, _, _, _, _, link = struct.unpack_from("<IHHiIII", data)
    assert (magic, link) == (0xA1B2C3D4, 1), f"{path}: no pcap of Ethernet"
    packets = []
    at = 24
    while at + 16 <= len(data):
        seconds, micros, captured, length = struct.unpack_from("<IIII", data, at)
        assert captured == length, "a packet was cut"
        if at + 16 + captured > len(data):
            break
        packets.append(Packet(seconds, micros, data[at + 16 : at + 16 + captured]))
        at += 16 + captured
    return packets


def ended(path: pathlib.Path) -> None:
    deadline = time.monotonic() + HANG
    while True:
        open_ways, reset = set(), set()
        packets = read_capture(path)
        for packet in packets:
            if packet.flags & 2:
                open_ways.add(packet.way)
            if packet.flags & 1:
                open_ways.discard(packet.way)
            if packet.flags & 4:
                reset |= {packet.way, packet.way[::-1]}
        if packets and not open_ways - reset:
            return
        assert time.monotonic() < deadline, f"{path}: connections that do not end: {open_ways}"
        time.sleep(0.1)


def write_capture(path: pathlib.Path, segments: list[tuple[int, int, int, int, int, bytes]]) -> None:
    """Segments: source port, target port, sequence, acknowledged, flags, payload."""
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 1))
        for index, (source, target, sequence, acknowledged, flags, payload) in enumerate(segments):
            tcp = struct.pack(">HHIIBBHHH", source, target, sequence % 2**32, acknowledged % 2**32, 0x50, flags, 65_535, 0, 0)
            total = 20 + len(tcp) + len(payload)
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, total, 0, 0, 64, 6, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
            packet = bytes(12) + b"\x08\x00" + ip + tcp + payload
            out.write(struct.pack("<IIII", 1 + index // 1000, index % 1000 * 1000, len(packet), len(packet)) + packet)


def handshake(client: int, relay: int, begin: int) -> list[tuple[int, int, int, int, int, bytes]]:
    """The client's first byte has the sequence number 1, and the relay's has BEGIN."""
    return [
        (client, relay, 0, 0, 2, b""),
        (relay, client, begin - 1, 1, 0x12, b""),
        (client, relay, 1, begin, 0x10, b""),
    ]


def largest(packets: list[Packet]) -> tuple[tuple[int, int], bytes]:
    """The relay's direction with the most bytes: its ports, its bytes in order."""
    sizes: dict[tuple[int, int], int] = {}
    for packet in packets:
        if packet.source in (7400, 7410):
            sizes[packet.way] = sizes.get(packet.way, 0) + len(packet.payload)
    way = max(sizes, key=lambda key: sizes[key])
    begin = next(packet.sequence for packet in packets if packet.way == way and packet.flags & 2) + 1
    stream = bytearray()
    for packet in packets:
        if packet.way == way and packet.payload:
            at = (packet.sequence - begin) % 2**32
            assert at <= len(stream), "the capture itself has lost a packet"
            stream[at : at + len(packet.payload)] = packet.payload
    return way, bytes(stream)


def edit(path: pathlib.Path, to: pathlib.Path, how: str) -> None:
    """HOW: SIZE[,WHAT...]: the same bytes in segments of SIZE, from SYN on. WHAT: early=N, segment N is captured before the
    one in front of it; missing=N; middle=N, the capture begins with segment N. Prints how many frames begin in the segments
    that are there."""
    words = how.split(",")
    size = int(words[0])
    (source, target), stream = largest(read_capture(path))
    # The sequence numbers begin again at 0 within the capture.
    begin = 2**32 - 1_000_000
    parts = [(at, stream[at : at + size]) for at in range(0, len(stream), size)]
    segments = handshake(target, source, begin)
    for what, _, number in (word.partition("=") for word in words[1:]):
        index = int(number)
        if what == "early":
            parts[index - 1], parts[index] = parts[index], parts[index - 1]
        elif what == "missing":
            del parts[index]
        elif what == "middle":
            parts, segments = parts[index:], []
        else:
            raise SystemExit(f"{what}: early, missing or middle")
    segments += [(source, target, begin + at, 1, 0x18, part) for at, part in parts]
    write_capture(to, segments)
    there = {at // size for at, _ in parts}
    print(sum(1 for at, _, _ in parse(stream) if at // size in there))


def vectors(directory: pathlib.Path, to: pathlib.Path) -> None:
    """One connection for each vector, in the order of the printed lines: its name."""
    segments = []
    for index, path in enumerate(sorted(directory.glob("*.hex"))):
        text = "".join(line.partition("#")[0] for line in path.read_text(encoding="utf-8").splitlines(keepends=True))
        frame = bytes.fromhex(text)
        client, port = 20_000 + index, 7401 if "publisher" in path.name or "ack" in path.name else 7400
        from_client = any(word in path.name for word in ("-hello-", "-subscribe-"))
        way = (client, port) if from_client else (port, client)
        segments += handshake(client, port, 1)
        segments.append((*way, 1, 1, 0x18, frame))
        print(path.stem)
    write_capture(to, segments)


def main() -> None:
    command, first, *rest = sys.argv[1:]
    path = pathlib.Path(first)
    if command == "plain":
        plain(path)
    elif command in ("numbered", "tls"):
        numbered(path, command == "tls")
    elif command == "ended":
        ended(path)
    elif command == "edit":
        edit(path, pathlib.Path(rest[0]), rest[1])
    elif command == "vectors":
        vectors(path, pathlib.Path(rest[0]))
    else:
        raise SystemExit(f"{command}: plain, numbered, tls, ended, edit or vectors")


if __name__ == "__main__":
    main()

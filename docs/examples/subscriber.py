"""A complete subscriber: prints sequence, type and length of each message. docs/protocol.md tells the rest."""
import argparse, re, socket, struct
HELLO, WELCOME, SUBSCRIBE, PING, PONG, SEQUENCE, GAP, ACK, ERROR = range(0x80000001, 0x8000000A)
cli = argparse.ArgumentParser(description=__doc__)
cli.add_argument("host"), cli.add_argument("port", type=int)
cli.add_argument("--name", type=str.encode, default=b"subscriber.py")
cli.add_argument("--types", default="", help="such as --types=7,100-199; all without it")
cli.add_argument("--from", dest="start", default="live", help="live, earliest, or a sequence")
args = cli.parse_args()
ranges = [(int(a), int(b or a)) for a, b in re.findall(r"(-?\d+)(?:-(-?\d+))?", args.types)]
start, number = {"live": (0, 0), "earliest": (2, 0)}.get(args.start) or (1, int(args.start))
hello = struct.pack(">HHBBBxIiqqH6x", 1, 1, 1, 0, start, 6, 0, 0, number, len(ranges))  # 2: SEQUENCE, 4: types left out
hello += b"".join(struct.pack(">ii", *r) for r in ranges) + struct.pack(">H", len(args.name)) + args.name
try: relay = socket.create_connection((args.host, args.port))
except OSError as e: raise SystemExit(f"cannot connect to {args.host}:{args.port}: {e.strerror or e}")
relay.sendall(struct.pack(">Ii", HELLO, len(hello)) + hello)
stream, sequence = relay.makefile("rb"), 0  # what comes before WELCOME has no number
while len(header := stream.read(8)) == 8:
    kind, length = struct.unpack(">Ii", header)
    if not 0 <= length <= 64 << 20 or len(body := stream.read(length)) < length:
        raise SystemExit(f"a frame of {length} bytes: out of range, or cut short")
    uint16, int64 = (lambda at: body[at] << 8 | body[at + 1]), (lambda at: struct.unpack_from(">q", body, at)[0])
    if not 0x80000000 <= kind <= 0x800000FF and sequence > 0:
        print(sequence, kind - (kind >> 31 << 32), length, flush=True)  # types are signed
        sequence += 1
    elif kind == WELCOME: sequence = int64(16); relay.settimeout(struct.unpack_from(">i", body, 40)[0] / 1000)
    elif kind == PING: sequence = int64(8); relay.sendall(struct.pack(">Iiq", PONG, 8, int64(0)))
    elif kind == SEQUENCE: sequence = int64(0)
    elif kind == GAP: sequence = int64(8) + 1; print(f"GAP {int64(0)} to {int64(8)}, reason {uint16(16)}", flush=True)
    elif kind == ERROR: raise SystemExit(f"ERROR {uint16(0)}: {body[2:].decode('utf-8', 'replace')}")
    elif 0x80000080 <= kind <= 0x800000FF: raise SystemExit(f"control frame {kind:#x} is beyond this client")

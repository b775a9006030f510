/** The cores without sockets: bytes in, items, answers and errors out. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
    BrokenRule,
    CODE_NAMES,
    ConnectionFailed,
    fromRelay,
    NotDone,
    type RelayError,
    UsageError,
} from "../src/errors.js";
import { type Event, GapReason, type Item, Message } from "../src/events.js";
import type { Link } from "../src/link.js";
import {
    type PublisherOptions,
    publisherSettings,
    type SubscriberOptions,
    subscriberSettings,
} from "../src/options.js";
import { BYTES_A_PING, PublisherCore } from "../src/publisher-core.js";
import { MOST_CHANGES, SubscriberCore } from "../src/subscriber-core.js";
import * as wire from "../src/wire.js";
import { ack, gap, goaway, message, ping, subscribed, welcome, type WelcomeFields } from "./frames.js";

function subscriber(options: Partial<SubscriberOptions> = {}): SubscriberCore {
    return new SubscriberCore(subscriberSettings({ endpoints: "127.0.0.1:1", ...options }));
}

/** An item as plain values. */
function plain(item: Item): unknown {
    return item instanceof Message ? [item.sequence, item.type, item.body.toString()] : item;
}

function received(core: SubscriberCore, ...frames: Buffer[]): unknown[] {
    core.connect("here").link.receive(Buffer.concat(frames));
    return core.batch()?.items.map(plain) ?? [];
}

function thrownBy(call: () => void): RelayError {
    try {
        call();
    } catch (e) {
        return e as RelayError;
    }
    return assert.fail("nothing was thrown");
}

const STREAM = Buffer.concat([
    message("before"),
    welcome({ next: 5n }),
    message("five"),
    gap(6n, 8n),
    message("", 2 ** 31 - 1),
    ping(3n, 10n, 9n),
    message("ten", wire.LAST_RESERVED + 1),
]);
const ITEMS = [
    [5n, 1, "five"],
    { kind: "gap", from: 6n, to: 8n, reason: 1 },
    [9n, 2 ** 31 - 1, ""],
    [10n, wire.LAST_RESERVED + 1, "ten"],
];

test("frames come a byte at a time", () => {
    const core = subscriber();
    const { link } = core.connect("here");
    const items: unknown[] = [];
    for (let at = 0; at < STREAM.length; at++) {
        link.receive(STREAM.subarray(at, at + 1));
        items.push(...(core.batch()?.items.map(plain) ?? []));
    }
    assert.deepEqual(items, ITEMS);
    assert.deepEqual(link.output(), wire.pong(3n));
    assert.equal(link.output(), undefined);
    assert.equal(link.isWithinFrame, false);
});

test("frames come in two pieces, cut at each place", () => {
    for (let cut = 0; cut <= STREAM.length; cut++) {
        const core = subscriber();
        const { link } = core.connect("here");
        link.receive(STREAM.subarray(0, cut));
        link.receive(STREAM.subarray(cut));
        const batch = core.batch();
        assert.deepEqual(batch?.items.map(plain), ITEMS, `cut at ${cut}`);
        assert.equal(batch.messages, 3);
        assert.equal(batch.bytes, 8 * 3 + "fiveten".length);
        assert.equal(core.next, 11n);
    }
});

test("a length is checked before any of the body is stored", () => {
    for (const [length, code] of [
        [-1, 4],
        [(1 << 20) + 1, 5],
    ] as const) {
        const core = subscriber();
        const header = Buffer.alloc(8);
        header.writeInt32BE(1, 0);
        header.writeInt32BE(length, 4);
        const { link } = core.connect("here");
        const error = thrownBy(() => link.receive(Buffer.concat([welcome(), message("kept"), header])));
        assert.equal(error.code, code);
        assert.deepEqual(core.batch()?.items.map(plain), [[1n, 1, "kept"]]);
    }
});

test("a batch counts the read buffers that its messages keep", () => {
    const core = subscriber();
    const { link } = core.connect("here");
    link.receive(welcome());
    assert.equal(core.batch(), undefined);
    // Ten bytes of message keep a read of skipped frames.
    const read = Buffer.concat([message("ab"), wire.frame(wire.LAST_RESERVED - 0x90, Buffer.alloc(10_000))]);
    link.receive(read);
    assert.ok((core.batch()?.size ?? 0) >= read.length);
    // A long frame that comes in pieces is kept whole.
    const long = wire.frame(1, Buffer.alloc(100_000));
    for (let at = 0; at < long.length; at += 1000) {
        assert.equal(core.batch(), undefined);
        link.receive(long.subarray(at, at + 1000));
    }
    const size = core.batch()?.size ?? 0;
    assert.ok(size >= long.length && size < 3 * long.length, String(size));
});

test("endless gaps take no memory of their own", () => {
    const core = subscriber();
    const { link } = core.connect("here");
    link.receive(welcome());
    for (let at = 1n; at <= 10_000n; at++) {
        link.receive(gap(at, at));
        assert.deepEqual(core.batch()?.items, [{ kind: "gap", from: at, to: at, reason: 1 }]);
    }
    assert.equal(link.items.length, 0);
});

test("a subscriber resumes where it was", () => {
    const core = subscriber({ start: "earliest" });
    const first = core.connect("here");
    assert.equal(first.first?.[8 + 6], wire.EARLIEST);
    first.link.receive(Buffer.concat([welcome({ next: 5n }), message("a")]));
    core.batch();
    const again = core.connect("here").first;
    assert.equal(again?.[8 + 6], wire.FROM_SEQUENCE);
    assert.deepEqual([again.readBigInt64BE(8 + 16), again.readBigInt64BE(8 + 24)], [7n, 6n]);
});

test("a subscriber starts at a time", () => {
    const hello = subscriber({ start: { time: new Date(1_700_000_000_000) } }).connect("here").first;
    assert.deepEqual([hello?.[8 + 6], hello?.readBigInt64BE(8 + 24)], [wire.FROM_TIME, 1_700_000_000_000n]);
});

test("sequences beyond 2^53 are exact", () => {
    const next = (1n << 62n) - 2n;
    assert.deepEqual(received(subscriber(), welcome({ next }), message("a"), message("b")), [
        [next, 1, "a"],
        [next + 1n, 1, "b"],
    ]);
});

test("rolled back, then another stream", () => {
    const core = subscriber();
    received(core, welcome({ next: 5n }), message("a"), message("a"), message("a"));
    assert.deepEqual(received(core, welcome({ next: 6n, epoch: 8n, flags: 3, fork: 6n }), message("b")), [
        { kind: "rolledBack", from: 6n, to: 7n },
        [6n, 1, "b"],
    ]);
    assert.deepEqual(received(core, welcome({ next: 1n, epoch: 9n, flags: 1 }), message("c")), [
        { kind: "streamChanged", lostFrom: 7n },
        [1n, 1, "c"],
    ]);
    assert.deepEqual([core.epoch, core.next], [9n, 2n]);
});

test("a jump is doubted once", () => {
    const core = subscriber();
    const { link } = core.connect("here");
    const error = thrownBy(() => link.receive(Buffer.concat([welcome(), message("a"), ping(1n, 9n, 8n)])));
    assert.equal(error.code, 15);
    core.batch();
    assert.deepEqual(received(core, welcome({ next: 2n }), ping(1n, 9n, 8n)), [
        { kind: "gap", from: 2n, to: 8n, reason: GapReason.unexplained },
    ]);
});

test("a jump is a gap at once without reconnecting", () => {
    const core = subscriber({ reconnect: { rounds: 0 }, start: { sequence: 3n } });
    assert.deepEqual(received(core, welcome({ next: 9n })), [{ kind: "gap", from: 3n, to: 8n, reason: 0 }]);
});

test("types without SEQUENCES have no numbers", () => {
    const core = subscriber({ types: [[1, 1]] });
    const { link } = core.connect("here");
    link.receive(Buffer.concat([welcome({ next: 5n, features: 0 }), message("a"), message("b")]));
    assert.deepEqual(core.batch()?.items.map(plain), [
        [0n, 1, "a"],
        [0n, 1, "b"],
    ]);
    assert.equal(core.next, 5n);
    link.receive(ping(1n, 30n, 40n));
    assert.deepEqual([core.next, core.head], [30n, 40n]);
});

test("changes of types hold from the relay's answer on", () => {
    const core = subscriber({ types: [[1, 1]] });
    const answers: bigint[] = [];
    const answer = { done: (sequence: bigint) => answers.push(sequence), failed: () => assert.fail() };
    const { link } = core.connect("here");
    link.receive(welcome({ next: 5n }));
    core.change([[2, 3]], answer);
    core.change([], answer);
    assert.deepEqual(core.requests(), [wire.subscribe(1, [[2, 3]]), wire.subscribe(2, [])]);
    link.receive(subscribed(1, 20n));
    assert.deepEqual(answers, [20n]);
    // The next HELLO stands for the other one.
    const again = core.connect("here");
    assert.equal(again.first?.readUInt16BE(8 + 32), 0);
    again.link.receive(welcome({ next: 20n }));
    assert.deepEqual(answers, [20n, 20n]);
});

test("changes of types are bounded, and end with the client", () => {
    const core = subscriber();
    const errors: RelayError[] = [];
    const answer = { done: () => assert.fail(), failed: (error: RelayError) => errors.push(error) };
    for (let i = 0; i < MOST_CHANGES; i++) {
        core.change([], answer);
    }
    assert.throws(() => core.change([], answer), UsageError);
    core.end(new ConnectionFailed("over"));
    assert.equal(errors.length, MOST_CHANGES);
});

test("more ranges than the relay takes are refused", () => {
    const core = subscriber();
    const errors: RelayError[] = [];
    received(core, welcome());
    core.change(
        Array.from({ length: 10 }, (_, i) => [i, i] as const),
        { done: () => assert.fail(), failed: (error) => errors.push(error) },
    );
    assert.equal(core.requests().length, 0);
    assert.equal(errors[0]?.kind, "yours");
});

interface Published {
    core: PublisherCore;
    acked: [bigint, bigint][];
    events: Event[];
}

function publisher(options: Partial<PublisherOptions> = {}): Published {
    const acked: [bigint, bigint][] = [];
    const events: Event[] = [];
    const core = new PublisherCore(
        publisherSettings({
            endpoints: "127.0.0.1:1",
            name: "orders",
            acks: true,
            onAck: (number, sequence) => acked.push([number, sequence]),
            onEvent: (event) => events.push(event),
            ...options,
        }),
    );
    return { core, acked, events };
}

function greeted(core: PublisherCore, fields: WelcomeFields = {}): Link {
    const { link } = core.connect("here");
    link.receive(welcome(fields));
    return link;
}

/** The frames that are given away next, as the socket has taken them. */
function sent(core: PublisherCore, most = 1000): Buffer {
    const frames = Buffer.concat(core.toSend(most));
    core.written();
    return frames;
}

test("a publisher sends again from the first that is not acknowledged", () => {
    const { core, acked } = publisher();
    const { link } = core.connect("here");
    for (const text of "abc") {
        assert.ok(core.offer(1, Buffer.from(text)));
    }
    assert.deepEqual(core.toSend(1000), []);
    link.receive(welcome({ accepted: 7n }));
    assert.equal(core.firstNumber, 8n);
    assert.deepEqual(sent(core), Buffer.concat([message("a"), message("b"), message("c")]));
    link.receive(ack(9n, 50n));
    assert.deepEqual([acked, core.settled, core.unsettled], [[[9n, 50n]], 2, 1]);
    const again = core.connect("here");
    assert.equal(again.first?.readBigInt64BE(8 + 24), 10n);
    again.link.receive(welcome({ accepted: 10n }));
    // The relay counts from HELLO's number on, so 10 is sent although it is known.
    assert.deepEqual(Buffer.concat(core.toSend(1000)), message("c"));
    // Its bytes are the socket's until then.
    assert.equal(core.unsettled, 1);
    core.written();
    assert.deepEqual([acked.at(-1), core.unsettled], [[10n, 0n], 0]);
});

test("frames are given in portions", () => {
    const { core } = publisher({ firstNumber: 1n });
    greeted(core);
    for (let i = 0; i < 5; i++) {
        core.offer(1, Buffer.alloc(8));
    }
    assert.deepEqual(
        [1, 2, 3, 4].map(() => sent(core, 20).length),
        [32, 32, 16, 0],
    );
});

test("frames lie around the end of the ring at each place", () => {
    for (let shift = 0; shift < 40; shift++) {
        const { core } = publisher({ maxBody: 32, buffer: 100, firstNumber: 1n });
        const link = greeted(core);
        let number = 0n;
        const body = Buffer.from("0123456789abcdefghijklmnopqrstuv");
        assert.ok(core.offer(1, body.subarray(0, shift % 33)));
        assert.equal(sent(core).length, 8 + (shift % 33));
        link.receive(ack(++number));
        for (let round = 0; round < 20; round++) {
            const lengths = [round % 33, (7 * round) % 25];
            const expected = lengths.map((length) => wire.frame(round, body.subarray(0, length)));
            for (const length of lengths) {
                assert.ok(core.offer(round, body.subarray(0, length)));
            }
            assert.deepEqual(sent(core), Buffer.concat(expected), `shift ${shift}, round ${round}`);
            number += 2n;
            link.receive(ack(number));
            assert.equal(core.unsettled, 0);
        }
    }
});

test("an acknowledgement beyond what was sent breaks a rule", () => {
    const { core } = publisher({ firstNumber: 1n });
    const link = greeted(core);
    core.offer(1, Buffer.from("a"));
    const error = thrownBy(() => link.receive(ack(1n)));
    assert.ok(error instanceof BrokenRule);
    assert.equal(error.code, 15);
    assert.equal(core.unsettled, 1);
});

test("full is a value", () => {
    const { core } = publisher({ maxBody: 100, buffer: 108 });
    assert.ok(core.offer(1, Buffer.alloc(92)));
    assert.ok(core.offer(1, Buffer.alloc(0)));
    assert.equal(core.offer(1, Buffer.alloc(0)), false);
    assert.equal(core.messages, 2);
});

test("what a publisher refuses", () => {
    const { core } = publisher({ maxBody: 10 });
    const nothing = new Uint8Array();
    const bad: [number, unknown][] = [
        [1, new Uint8Array(11)],
        [1, "text"],
        [-(2 ** 31), nothing],
        [wire.LAST_RESERVED, nothing],
        [2 ** 31, nothing],
        [1.5, nothing],
        [NaN, nothing],
    ];
    for (const [type, body] of bad) {
        assert.throws(() => core.check(type, body as Uint8Array), UsageError, String(type));
    }
});

test("GOAWAY stops the sending", () => {
    const { core, events } = publisher();
    const link = greeted(core);
    link.receive(goaway(10, 500, "soon"));
    core.offer(1, Buffer.from("a"));
    assert.deepEqual(core.toSend(1000), []);
    assert.deepEqual(events.at(-1), {
        kind: "goingAway",
        endpoint: "here",
        code: 10,
        text: "soon",
        closesInMs: 500,
    });
});

test("rolled back is told a publisher once", () => {
    const { core, events } = publisher({ firstNumber: 5n, epoch: 3n });
    greeted(core, { flags: 3, fork: 3n });
    greeted(core, { flags: 3, fork: 3n });
    assert.deepEqual(
        events.filter((event) => event.kind === "rolledBack"),
        [{ kind: "rolledBack", from: 3n, to: 4n }],
    );
});

/** A publisher with HELLO and without ACKS, connected. */
function confirming(options: Partial<PublisherOptions> = {}): Published & { link: Link } {
    const published = publisher({ acks: false, ...options });
    published.core.nextPingId = (last) => last + 1n;
    return { ...published, link: greeted(published.core) };
}

function offered(core: PublisherCore, ...texts: string[]): void {
    for (const text of texts) {
        assert.ok(core.offer(1, Buffer.from(text)));
    }
}

function notDone(call: () => unknown): NotDone {
    const error = thrownBy(call);
    assert.ok(error instanceof NotDone);
    return error;
}

function clientPing(id: bigint): Buffer {
    return ping(id, 0n, 0n);
}

test("a PING comes behind the messages of a flush", () => {
    const { core, link } = confirming();
    offered(core, "a", "b");
    const asked = core.ask();
    assert.deepEqual(sent(core, 1), message("a"));
    assert.deepEqual(sent(core, 1), Buffer.concat([message("b"), clientPing(1n)]));
    assert.deepEqual(core.toSend(1), []);
    for (const byte of wire.pong(1n)) {
        assert.ok(!core.isOver(asked));
        link.receive(Buffer.of(byte));
    }
    assert.ok(core.answer(asked));
    assert.deepEqual([core.confirmed, core.left(core.ask()), core.isUnconfirmed], [2, 0, false]);
});

test("PONGs that answer no PING confirm nothing", () => {
    const { core, link } = confirming();
    offered(core, "a");
    link.receive(Buffer.concat([wire.pong(0n), wire.pong(1n)]));
    const asked = core.ask();
    link.receive(wire.pong(1n));
    assert.deepEqual(sent(core), Buffer.concat([message("a"), clientPing(1n)]));
    link.receive(Buffer.concat([wire.pong(2n), wire.pong(0n), wire.pong(-1n)]));
    assert.equal(core.confirmed, 0);
    offered(core, "b");
    assert.deepEqual(sent(core), message("b"));
    link.receive(Buffer.concat([wire.pong(1n), wire.pong(1n), wire.pong(2n)]));
    assert.deepEqual([core.confirmed, core.isOver(asked), core.isUnconfirmed], [1, true, true]);
});

test("one PING is unanswered at most, and flushes share it", () => {
    const { core, link } = confirming();
    offered(core, "a");
    const first = core.ask();
    sent(core);
    const shared = core.ask();
    offered(core, "b");
    const [second, third] = [core.ask(), core.ask()];
    core.isIntervalOver = true;
    assert.deepEqual(sent(core), message("b"));
    link.receive(wire.pong(1n));
    assert.ok(core.answer(first) && core.answer(shared));
    assert.ok(!core.isOver(second));
    assert.deepEqual(sent(core), clientPing(2n));
    link.receive(wire.pong(2n));
    assert.ok(core.answer(second) && core.answer(third));
    assert.deepEqual(core.toSend(1000), []);
});

test("a PING comes behind each mebibyte", () => {
    const { core, link } = confirming({ buffer: 8 << 20 });
    const size = 256 << 10;
    assert.equal(BYTES_A_PING, 4 * size);
    for (let i = 0; i < 12; i++) {
        assert.ok(core.offer(1, Buffer.alloc(size - wire.HEADER)));
    }
    const pinged: number[] = [];
    for (let i = 1; i <= 12; i++) {
        if (sent(core, 1).length > size) {
            pinged.push(i);
        }
        if (i === 10) {
            link.receive(wire.pong(1n));
        }
    }
    // Behind the 4th, and not before the answer.
    assert.deepEqual(pinged, [4, 11]);
    assert.equal(core.confirmed, 4);
    link.receive(wire.pong(2n));
    assert.equal(core.confirmed, 11);
});

test("a PING comes when the interval is over, if something is not confirmed", () => {
    const { core, link } = confirming();
    core.isIntervalOver = true;
    assert.deepEqual(core.toSend(1000), []);
    offered(core, "a");
    assert.deepEqual(sent(core), Buffer.concat([message("a"), clientPing(1n)]));
    core.isIntervalOver = true;
    link.receive(wire.pong(1n));
    offered(core, "b");
    assert.deepEqual(sent(core), message("b"));
});

test("what a lost connection leaves in doubt is told, and the rest goes over the next one", () => {
    const { core, events } = confirming();
    offered(core, "a");
    sent(core);
    offered(core, "b");
    const [asked, other] = [core.ask(), core.ask()];
    core.lost(fromRelay(10, "bye"));
    assert.deepEqual(events.at(-1), { kind: "inDoubt", messages: 1 });
    assert.deepEqual([core.settled, core.unsettled, core.isOver(asked)], [1, 1, false]);
    const link = greeted(core);
    assert.deepEqual(sent(core), Buffer.concat([message("b"), clientPing(1n)]));
    link.receive(wire.pong(1n));
    for (const waiting of [asked, other]) {
        const error = notDone(() => core.answer(waiting));
        assert.match(error.message, /^2 sent, 1 in doubt: the relay has not confirmed them: .*SHUTDOWN/);
        assert.deepEqual([error.messages, error.inDoubt, error.kind, error.code], [1, 1, "retry", 10]);
    }
    assert.ok(core.answer(core.ask()));
    assert.deepEqual([core.confirmed, core.left(core.ask())], [1, 0]);
});

test("what is not confirmed in time may still be, or be lost", () => {
    const { core } = confirming();
    offered(core, "a");
    sent(core);
    offered(core, "b");
    const error = notDone(() => core.answer(core.ask()));
    assert.match(error.message, /^2 published, 1 not sent; 1 sent, 1 in doubt/);
    assert.deepEqual([error.messages, error.inDoubt, core.left(core.ask())], [2, 1, 2]);
    sent(core);
    core.lost();
    assert.match(notDone(() => core.answer(core.ask())).message, /^2 sent, 2 in doubt/);
});

test("the PING of a lost connection is forgotten", () => {
    const { core } = confirming();
    offered(core, "a");
    core.ask();
    core.toSend(1000);
    core.lost();
    const link = greeted(core);
    offered(core, "b");
    sent(core);
    link.receive(wire.pong(1n));
    assert.equal(core.confirmed, 0);
    const asked = core.ask();
    assert.deepEqual(sent(core), clientPing(2n));
    link.receive(wire.pong(2n));
    assert.deepEqual([core.confirmed, core.isOver(asked)], [1, true]);
});

test("no PING is sent after GOAWAY", () => {
    const { core, link } = confirming();
    offered(core, "a");
    sent(core);
    core.ask();
    link.receive(goaway(10, 500, "soon"));
    assert.deepEqual(core.toSend(1000), []);
});

test("a plain publisher sends no PING", () => {
    const { core, events } = publisher({ name: "", acks: false, plain: true });
    core.connect("here");
    offered(core, "a");
    const asked = core.ask();
    assert.deepEqual(sent(core), message("a"));
    assert.ok(core.answer(asked));
    assert.deepEqual([core.settled, core.confirmed], [1, 0]);
    core.lost();
    assert.deepEqual(events.at(-1), { kind: "inDoubt", messages: 1 });
    core.connect("here");
    core.lost();
    assert.equal(events.filter((event) => event.kind === "inDoubt").length, 1);
});

/** Numbers under a limit, the same for the same seed (mulberry32). */
function randomOf(seed: number): (limit: number) => number {
    let state = seed;
    return (limit) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
        return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
    };
}

function randomSchedule(random: (limit: number) => number): void {
    const published = confirming({ buffer: 4 << 20 });
    const { core } = published;
    let { link } = published;
    let pipe = Buffer.alloc(0);
    let [has, told, atLoss] = [0, 0, 0];
    const send = (most: number): void => {
        pipe = Buffer.concat([pipe, ...core.toSend(most)]);
        core.written();
    };
    const reads = (most: number): void => {
        for (let left = most; pipe.length >= wire.HEADER;) {
            const size = wire.HEADER + pipe.readInt32BE(4);
            if (pipe.length < size || (left -= size) < 0) {
                return;
            }
            if (pipe.readInt32BE() === wire.PING) {
                link.receive(wire.pong(pipe.readBigInt64BE(wire.HEADER)));
            } else {
                has++;
            }
            pipe = pipe.subarray(size);
        }
    };
    const check = (): void => {
        const given = core.settled;
        const inDoubt = told + core.left(core.ask()) - core.unsettled;
        assert.ok(inDoubt >= given - has, `${inDoubt} in doubt, the relay lacks ${given - has}`);
        assert.equal(core.confirmed + inDoubt, given);
    };
    for (let steps = random(200); steps > 0; steps--) {
        const step = random(100);
        if (step < 50) {
            core.offer(1, Buffer.alloc([0, 1, 5_000, 300_000][random(4)]!));
        } else if (step < 70) {
            send([1, 10_000, 1 << 20][random(3)]!);
        } else if (step < 85) {
            reads([8, 1_000, 100_000, 1 << 20][random(4)]!);
        } else if (step < 90) {
            core.ask();
        } else if (step < 93) {
            core.isIntervalOver = true;
        } else if (step < 96) {
            pipe = Buffer.alloc(0);
            core.lost();
            atLoss = has - core.confirmed;
            link = greeted(core);
        } else {
            const before = core.left(core.ask());
            try {
                core.answer(core.ask());
            } catch (e) {
                assert.ok(e instanceof NotDone && e.messages === before);
            }
            told += before - core.left(core.ask());
        }
        check();
    }
    // From here on the relay lives.
    for (const asked = core.ask(); !core.isOver(asked);) {
        send(1 << 20);
        reads(Infinity);
    }
    // What the relay read without a PONG before a loss stays in doubt, and nothing else.
    assert.equal(has, core.confirmed + atLoss);
    assert.equal(core.unsettled, 0);
    check();
}

test("in doubt is never below what the relay lacks, and 0 with a relay that lives", () => {
    const first = Math.floor(Math.random() * 2 ** 31);
    for (let seed = first; seed < first + 300; seed++) {
        try {
            randomSchedule(randomOf(seed));
        } catch (e) {
            throw new Error(`seed ${seed}`, { cause: e });
        }
    }
});

// The table of docs/protocol.md, "Errors".
const STOP = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29];
const SLOWLY = [18, 19, 27, 32];

for (let code = 1; code < CODE_NAMES.length; code++) {
    test(`error ${code}, ${CODE_NAMES[code]}`, () => {
        const error = fromRelay(code, "why");
        assert.equal(error.code, code);
        assert.ok(error.message.includes(String(CODE_NAMES[code])));
        assert.equal(error.kind, STOP.includes(code) ? "fatal" : "retry");
        assert.deepEqual(
            { stop: false, few: false, slow: false, ...error.advice },
            {
                stop: STOP.includes(code),
                few: code === 24 || code === 31,
                slow: SLOWLY.includes(code) || code === 24,
            },
        );
    });
}

test("an unknown code is worth a few tries", () => {
    assert.equal(CODE_NAMES.length, 35);
    assert.deepEqual(fromRelay(999, "").advice, { few: true });
});

test("a relay's text is shown without control characters", () => {
    assert.ok(!fromRelay(10, "\u001b[31mred").message.includes("\u001b"));
});

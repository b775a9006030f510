/** Start = state, without sockets: what a view is told, and what it comes to. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { type ConnectionFailed, UsageError } from "../src/errors.js";
import { type Event, type Item, Message } from "../src/events.js";
import type { Link } from "../src/link.js";
import { AskedAgain } from "../src/lives.js";
import { type SubscriberOptions, subscriberSettings } from "../src/options.js";
import { covers, LATE_MS, SubscriberCore } from "../src/subscriber-core.js";
import * as wire from "../src/wire.js";
import { gap, message, ping, sequence, subscribed, welcome } from "./frames.js";

const PEER = ["192.0.2.7:40001", "audit"] as const;
const BEGINS = { kind: "stateBegins", anew: true };
const GOES_ON = { kind: "stateBegins", anew: false };

interface Reader {
    core: SubscriberCore;
    events: Event[];
}

function reader(options: Partial<SubscriberOptions> = {}): Reader {
    const events: Event[] = [];
    const settings = subscriberSettings({
        endpoints: "127.0.0.1:1",
        start: "state",
        onEvent: (event) => events.push(event),
        ...options,
    });
    return { core: new SubscriberCore(settings), events };
}

function plain(item: Item): unknown {
    return item instanceof Message ? [item.sequence, item.type, item.body.toString()] : item;
}

/** Connects, and receives these frames; HELLO's start, epoch and number, and the items. */
function connect(core: SubscriberCore, ...frames: Buffer[]): { hello: [number, bigint, bigint]; items: unknown[] } {
    const { link, first } = core.connect("here");
    const body = first!.subarray(wire.HEADER);
    if (frames.length > 0) {
        link.receive(Buffer.concat(frames));
    }
    const items = core.batch()?.items.map(plain) ?? [];
    return { hello: [body.readUInt8(6), body.readBigInt64BE(16), body.readBigInt64BE(24)], items };
}

function failure(call: () => void): ConnectionFailed {
    try {
        call();
    } catch (e) {
        return e as ConnectionFailed;
    }
    return assert.fail("nothing was thrown");
}

const STATE = Buffer.concat([
    welcome({ next: 1n, peer: PEER }),
    ping(1n, 1n, 10n),
    gap(1n, 2n, 4),
    message("three", 3),
    gap(4n, 8n, 4),
    message("", 9),
    gap(10n, 10n, 4),
    ping(2n, 11n, 10n),
    message("new", 3),
    ping(3n, 12n, 11n),
]);
const ITEMS = [
    BEGINS,
    { kind: "gap", from: 1n, to: 2n, reason: 4 },
    [3n, 3, "three"],
    { kind: "gap", from: 4n, to: 8n, reason: 4 },
    [9n, 9, ""],
    { kind: "gap", from: 10n, to: 10n, reason: 4 },
    { kind: "stateComplete", next: 11n },
    [11n, 3, "new"],
];

test("the state comes in pieces of each size", () => {
    for (let piece = 1; piece <= STATE.length; piece++) {
        const { core, events } = reader();
        const { link } = core.connect("here");
        const items: unknown[] = [];
        for (let at = 0; at < STATE.length; at += piece) {
            link.receive(STATE.subarray(at, at + piece));
            items.push(...(core.batch()?.items.map(plain) ?? []));
        }
        assert.deepEqual(items, ITEMS);
        assert.equal(core.next, 12n);
        const connected = events[0] as Extract<Event, { kind: "connected" }>;
        assert.deepEqual([connected.address, connected.identity, connected.anew], [...PEER, true]);
    }
});

test("an older relay tells no address, and no other start begins anew", () => {
    const { core, events } = reader({ start: "live" });
    connect(core, welcome());
    assert.deepEqual(Object.keys(events[0]!).sort(), [
        ..."accepted endpoint epoch kind next plain policy server".split(" "),
    ]);
    assert.ok((core.connect("here").first!.readUInt32BE(wire.HEADER + 8) & wire.PEER) !== 0);
});

test("each connection asks for the interval", () => {
    const { core, events } = reader({ start: "live", intervalMs: 500 });
    let { link } = core.connect("here");
    for (const intervalMs of [undefined, 500, 60_000]) {
        const connection = core.connect("here");
        link = connection.link;
        const body = connection.first!.subarray(wire.HEADER);
        assert.equal(body.readUInt8(5), wire.POLICIES.indexOf("latest"));
        assert.equal(body.readUInt32BE(8) & wire.INTERVAL, wire.INTERVAL);
        assert.equal(body.readUInt32BE(body.length - 4), 500);
        link.receive(welcome({ next: core.next || 1n, ...(intervalMs !== undefined && { intervalMs }) }));
        assert.equal((events.at(-1) as Extract<Event, { kind: "connected" }>).intervalMs, intervalMs);
    }
    // Between the sendings a PING tells the head; where nothing of its types has changed, the numbers go on alone.
    link.receive(Buffer.concat([ping(1n, 1n, 4n), gap(1n, 3n, 4), message("four"), ping(2n, 5n, 4n)]));
    link.receive(Buffer.concat([ping(3n, 5n, 9n), gap(5n, 9n, 4), ping(4n, 10n, 9n)]));
    assert.deepEqual(core.batch()!.items.map(plain), [
        { kind: "gap", from: 1n, to: 3n, reason: 4 },
        [4n, 1, "four"],
        { kind: "gap", from: 5n, to: 9n, reason: 4 },
    ]);
    assert.equal(core.next, 10n);
    const other = reader({ policy: "latest" }).core.connect("here").first!;
    assert.equal(other.readUInt32BE(wire.HEADER + 8) & wire.INTERVAL, 0);
});

test("an empty stream is complete", () => {
    const { core } = reader();
    const first = connect(core, welcome(), ping(1n, 1n, 0n));
    assert.deepEqual(first, { hello: [4, 0n, 0n], items: [BEGINS, { kind: "stateComplete", next: 1n }] });
    const second = connect(core, welcome(), message("one"));
    assert.deepEqual(second, { hello: [4, 7n, 1n], items: [BEGINS, [1n, 1, "one"]] });
});

test("a walk that is cut goes on", () => {
    const { core } = reader();
    connect(core, welcome(), gap(1n, 3n, 4), message("four"));
    const { hello, items } = connect(core, welcome({ next: 5n }), ping(1n, 5n, 4n));
    assert.deepEqual(hello, [4, 7n, 5n]);
    assert.deepEqual(items, [GOES_ON, { kind: "stateComplete", next: 5n }]);
});

test("a program that has kept its view", () => {
    const start = { state: 100n, epoch: 7n };
    const goesOn = connect(reader({ start }).core, welcome({ next: 100n }), ping(1n, 100n, 99n));
    assert.deepEqual(goesOn, { hello: [4, 7n, 100n], items: [GOES_ON, { kind: "stateComplete", next: 100n }] });
    const changed = connect(reader({ start }).core, welcome({ flags: 1, epoch: 8n }));
    assert.deepEqual(changed.items, [{ kind: "streamChanged", lostFrom: 100n }, BEGINS]);
    // Nothing is before number 1, so there is no epoch to compare with.
    for (const state of [0n, 1n]) {
        const { hello, items } = connect(reader({ start: { state, epoch: 7n } }).core, welcome({ epoch: 8n }));
        assert.deepEqual([hello.slice(0, 2), items], [[4, 0n], [BEGINS]]);
    }
    assert.throws(() => reader({ start: { state: -1n } }), UsageError);
    assert.throws(() => reader({ plain: true }), UsageError);
});

test("a WELCOME that goes back breaks a rule, to the first message too", () => {
    const { core } = reader();
    connect(core, welcome(), gap(1n, 3n, 4), message("four"));
    for (const next of [1n, 4n]) {
        assert.equal(failure(() => connect(core, welcome({ next }))).code, 15);
    }
});

test("in another life the whole state comes over the same connection", () => {
    const { core, events } = reader();
    const lives = [
        [7n, 7n],
        [6n, 1n],
    ] as const;
    connect(core, welcome({ lives }), gap(1n, 8n, 4), message("nine"));
    const backup = [
        [8n, 6n],
        [6n, 1n],
    ] as const;
    const changed = connect(core, welcome({ epoch: 8n, flags: 1, lives: backup }), message("one"));
    assert.deepEqual(changed.hello, [4, 7n, 10n]);
    assert.deepEqual(changed.items, [{ kind: "streamChanged", lostFrom: 10n }, BEGINS, [1n, 1, "one"]]);
    const rolledBack = connect(core, welcome({ epoch: 9n, flags: 3, fork: 1n }), message("1"), ping(1n, 2n, 1n));
    assert.deepEqual(rolledBack.hello, [4, 8n, 2n]);
    assert.deepEqual(rolledBack.items, [
        { kind: "rolledBack", from: 1n, to: 1n },
        BEGINS,
        [1n, 1, "1"],
        { kind: "stateComplete", next: 2n },
    ]);
    assert.deepEqual(
        events.filter((event) => event.kind === "connected").map((event) => event.anew),
        [true, true, true],
    );
});

test("a walk that is cut goes on in the same life alone", () => {
    // The number that was asked for, and the first one, which nobody asked for: in another life neither is good.
    for (const [isPassedOver, next] of [
        [true, 3n],
        [true, 1n],
        [false, 3n],
    ] as const) {
        const { core, events } = reader();
        connect(core, welcome(), isPassedOver ? gap(1n, 1n, 4) : message("A"), message("B", 2));
        // A PING that is not at the head completes nothing.
        assert.deepEqual(connect(core, welcome({ next: 3n }), ping(1n, 3n, 4n)).items, [GOES_ON]);
        const before = events.length;
        if (isPassedOver) {
            const again = failure(() => connect(core, welcome({ next, epoch: 8n })));
            assert.ok(again instanceof AskedAgain);
            assert.equal(events.length, before);
            const frames = [welcome({ epoch: 8n }), gap(1n, 1n, 4), message("A"), ping(1n, 3n, 2n)];
            const { hello, items } = connect(core, ...frames);
            assert.deepEqual(hello, [4, 7n, 0n]);
            assert.deepEqual([items[0], items.length, items.at(-1)], [BEGINS, 4, { kind: "stateComplete", next: 3n }]);
        } else {
            const { items } = connect(core, welcome({ next: 3n, epoch: 8n }), ping(1n, 3n, 2n));
            assert.deepEqual(items, [GOES_ON, { kind: "stateComplete", next: 3n }]);
        }
        // Complete: any life that has the number will do.
        assert.deepEqual(connect(core, welcome({ next: 3n, epoch: 9n })).items, [GOES_ON]);
    }
});

test("types that are covered", () => {
    const parts = [
        [7, 9],
        [1, 3],
        [4, 5],
        [2, 2],
        [6, 6],
        [20, 30],
    ] as const;
    assert.ok(covers([], []));
    assert.ok(covers([], [[1, 1]]));
    assert.ok(covers([[wire.LAST_RESERVED + 1, wire.MAX_TYPE]], []));
    assert.ok(!covers([[0, wire.MAX_TYPE], [wire.LAST_RESERVED + 1, -2]], [])); // prettier-ignore
    assert.ok(!covers(parts, []));
    assert.ok(covers(parts, parts));
    assert.ok(covers(parts, [[2, 8], [20, 20]])); // prettier-ignore
    assert.ok(!covers(parts, [[2, 8], [9, 10]])); // prettier-ignore
});

test("types that are added while live have no state until the next connection", () => {
    const answer = { done: () => undefined, failed: () => assert.fail() };
    for (const [types, isWidened] of [
        [[[1, 20]], true],
        [[[2, 8]], false],
    ] as const) {
        for (const isAnswered of [true, false]) {
            const { core } = reader({ types: [[1, 9]] });
            const { link } = core.connect("here");
            link.receive(Buffer.concat([welcome(), message("one", 3), ping(1n, 2n, 1n)]));
            core.change(types, answer);
            assert.equal(core.requests().length, 1);
            if (isAnswered) {
                link.receive(subscribed(1, 2n));
            }
            core.batch();
            // Lost before WELCOME: it is asked for again.
            assert.deepEqual(connect(core).hello, [4, 7n, isWidened ? 0n : 2n]);
            const next = isWidened ? 1n : 2n;
            const { hello, items } = connect(core, welcome({ next }), message("x", 3));
            assert.deepEqual(hello, [4, 7n, isWidened ? 0n : 2n]);
            assert.deepEqual(items, [isWidened ? BEGINS : GOES_ON, [next, 3, "x"]]);
            assert.deepEqual(connect(core).hello, [4, 7n, next + 1n]);
        }
    }
});

test("back to the types of before, what came meanwhile is lacking", () => {
    const answer = { done: () => undefined, failed: () => assert.fail() };
    const { core } = reader({ types: [[1, 9]] });
    const { link } = core.connect("here");
    link.receive(Buffer.concat([welcome(), message("one", 3)]));
    core.change([[2, 8]], answer);
    core.change([[1, 9]], answer);
    core.requests();
    link.receive(Buffer.concat([subscribed(1, 2n), subscribed(2, 5n)]));
    core.batch();
    assert.deepEqual(connect(core).hello, [4, 7n, 0n]);
});

test("an older relay is called so", () => {
    for (const [options, words] of [
        [{}, "this relay is older than start = state: MALFORMED_CONTROL (12): HELLO: start 4"],
        [{ start: "live", policy: "latest" }, "this relay is older than policy = latest: MALFORMED_CONTROL"],
        [{ start: "live", intervalMs: 500 }, "this relay is older than policy = latest: MALFORMED_CONTROL"],
        [{ start: "live" }, "the relay: MALFORMED_CONTROL"],
    ] as const) {
        const { core } = reader(options);
        const error = failure(() => connect(core, wire.error(12, "HELLO: start 4")));
        assert.ok(error.message.startsWith(words), error.message);
        assert.deepEqual([error.kind, error.code], ["fatal", 12]);
    }
    // Behind WELCOME it is another fault, and other codes say themselves what is wrong.
    const { core } = reader();
    assert.ok(!failure(() => connect(core, welcome(), wire.error(12, "why"))).message.includes("older"));
    assert.ok(!failure(() => connect(core, wire.error(13, "why"))).message.includes("older"));
    assert.equal(
        reader({ policy: "latest" })
            .core.connect("here")
            .first!.readUInt8(wire.HEADER + 5),
        5,
    );
});

test("a state that takes long is told once a connection", () => {
    const { core, events } = reader();
    const late = (): number => events.filter((event) => event.kind === "stateLate").length;
    let link = core.connect("here").link;
    const heard = (now: number, ...frames: Buffer[]): number => {
        link.receive(Buffer.concat(frames));
        core.heard(now);
        core.batch();
        return late();
    };
    assert.equal(heard(5, welcome(), message("one")), 0);
    assert.equal(heard(4 + LATE_MS, message("two")), 0);
    assert.equal(heard(5 + LATE_MS, message("three")), 1);
    assert.equal(heard(9 * LATE_MS, message("four")), 1);
    assert.equal(heard(9 * LATE_MS, ping(1n, 5n, 4n)), 1);
    // In time, in no time, and by the very input that makes it complete.
    link = core.connect("here").link;
    assert.equal(heard(0, welcome({ next: 5n })), 1);
    assert.equal(heard(9, ping(1n, 5n, 4n)), 1);
    assert.equal(heard(LATE_MS, message("five")), 1);
    link = core.connect("here").link;
    assert.equal(heard(0, welcome({ next: 6n }), ping(1n, 6n, 5n)), 1);
    assert.equal(heard(LATE_MS, message("six")), 1);
    link = core.connect("here").link;
    assert.equal(heard(0, welcome({ next: 7n })), 1);
    assert.equal(heard(LATE_MS, ping(1n, 7n, 6n)), 2);
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

const TYPES = 8;

/** A relay with --state, for one reader: the stream, and since(p) as frames. */
class Model {
    epoch = 100n;
    /** The type of each message, from sequence 1 on, and whether it deletes. */
    stream: { type: number; deletes: boolean }[] = [];
    isLive = false;
    readonly #random: (limit: number) => number;
    #older = 0n;
    #fork = 0n;
    #types: readonly wire.Range[] = [];
    #next = 1;
    #frames: Buffer[] = [];

    constructor(random: (limit: number) => number) {
        this.#random = random;
    }

    /** The newest value of a type, as its sequence; 0: it has none. */
    value(type: number, upTo: number): number {
        const at = this.stream.slice(0, upTo).findLastIndex((one) => one.type === type);
        return at < 0 || this.stream[at]!.deletes ? 0 : at + 1;
    }

    frames(): Buffer {
        const all = Buffer.concat(this.#frames);
        this.#frames = [];
        return all;
    }

    hello(body: Buffer, types: readonly wire.Range[]): void {
        const [epoch, number] = [body.readBigInt64BE(16), body.readBigInt64BE(24)];
        assert.equal(body.readUInt8(6), wire.STATE);
        let flags = 0;
        if (epoch !== 0n && epoch === this.#older) {
            flags = number > this.#fork ? 3 : 0;
        } else if (epoch !== 0n && epoch !== this.epoch) {
            flags = 1;
        }
        this.#types = types;
        this.#next = flags !== 0 || number < 1n ? 1 : Number(number);
        this.isLive = false;
        const next = BigInt(this.#next);
        this.#frames = [welcome({ next, epoch: this.epoch, flags, fork: flags === 3 ? this.#fork : 0n, peer: PEER })];
        if (this.#next <= this.stream.length && this.#random(2) === 0) {
            this.ping();
        }
    }

    subscribed(request: number, types: readonly wire.Range[]): void {
        this.#types = types;
        this.#next = this.stream.length + 1;
        this.#frames.push(subscribed(request, BigInt(this.#next)));
    }

    publish(): void {
        const one = { type: 1 + this.#random(TYPES), deletes: this.#random(5) === 0 };
        this.stream.push(one);
        if (this.isLive && covers(this.#types, [[one.type, one.type]])) {
            this.#send(this.stream.length);
        }
    }

    /** A step of since(p): the next message that is the newest one of its type, or the end of the walk. */
    walk(): void {
        for (let at = this.#next; at <= this.stream.length; at++) {
            const { type } = this.stream[at - 1]!;
            if (covers(this.#types, [[type, type]]) && !this.stream.slice(at).some((one) => one.type === type)) {
                this.#send(at);
                return;
            }
        }
        if (this.#next <= this.stream.length) {
            this.#frames.push(gap(BigInt(this.#next), BigInt(this.stream.length), 4));
        }
        this.isLive = true;
        this.ping(this.stream.length + 1);
    }

    ping(next = this.#next): void {
        this.#next = next;
        this.#frames.push(ping(1n, BigInt(next), BigInt(this.stream.length)));
    }

    /** The relay starts again: with a journal that ends earlier, or without one. */
    restart(): void {
        const isKept = this.#random(3) > 0;
        this.#older = isKept ? this.epoch : 0n;
        this.epoch++;
        this.stream = isKept ? this.stream.slice(0, this.stream.length - this.#random(20)) : [];
        this.#fork = BigInt(this.stream.length + 1);
    }

    #send(at: number): void {
        const { type, deletes } = this.stream[at - 1]!;
        if (at !== this.#next) {
            const from = BigInt(this.#next);
            this.#frames.push(this.isLive ? sequence(BigInt(at)) : gap(from, BigInt(at - 1), 4));
        }
        this.#frames.push(message(deletes ? "" : String(at), type));
        this.#next = at + 1;
    }
}

interface Counts {
    begun: number;
    goneOn: number;
    completed: number;
    askedAgain: number;
}

/** Updates, losses at any byte, restarts, changes of types: at each completion the view is that of the stream. */
function schedule(random: (limit: number) => number, counts: Counts): void {
    const relay = new Model(random);
    const { core } = reader();
    const view = new Map<number, number>();
    // All ranges since HELLO, and those that are not answered. A type that was always among them is whole.
    let whole: (readonly wire.Range[])[] = [];
    let requests: (readonly [number, readonly wire.Range[]])[] = [];
    const progress = { isComplete: false };
    let link!: Link;
    const begin = (): void => {
        const { link: made, first } = core.connect("here");
        const body = first!.subarray(wire.HEADER);
        const types = Array.from({ length: body.readUInt16BE(32) }, (_, i) => {
            return [body.readInt32BE(40 + 8 * i), body.readInt32BE(44 + 8 * i)] as const;
        });
        link = made;
        whole = [types];
        requests = [];
        relay.hello(body, types);
    };
    const check = (upTo: number): void => {
        for (let type = 1; type <= TYPES; type++) {
            if (whole.every((one) => covers(one, [[type, type]]))) {
                assert.equal(view.get(type) ?? 0, relay.value(type, upTo), `type ${type} up to ${upTo}`);
            }
        }
    };
    const apply = (item: Item): void => {
        if (item instanceof Message) {
            view.set(item.type, item.length === 0 ? 0 : Number(item.body.toString()));
        } else if (item.kind === "stateBegins") {
            progress.isComplete = false;
            counts[item.anew ? "begun" : "goneOn"]++;
            if (item.anew) {
                view.clear();
            }
        } else if (item.kind === "stateComplete") {
            assert.ok(!progress.isComplete);
            progress.isComplete = true;
            counts.completed++;
            check(Number(item.next) - 1);
        }
    };
    begin();
    for (let turn = 0; turn < 150; turn++) {
        const choice = random(100);
        for (let i = random(6); i > 0; i--) {
            relay.publish();
        }
        if (choice < 60 && !relay.isLive) {
            relay.walk();
        } else if (choice < 70 && relay.isLive) {
            relay.ping(relay.stream.length + 1);
        } else if (choice < 75 && link.open) {
            const ranges = Array.from({ length: random(3) }, () => {
                const from = 1 + random(TYPES);
                return [from, from + random(4)] as const;
            });
            core.change(ranges, { done: () => undefined, failed: (why) => assert.fail(why) });
            requests.push(...core.requests().map((one) => [one.readInt32BE(wire.HEADER), ranges] as const));
        } else if (choice < 85 && relay.isLive && requests.length > 0) {
            const [request, ranges] = requests.shift()!;
            relay.subscribed(request, ranges);
            whole.push(ranges);
        }
        const isLost = choice >= 95;
        let bytes = relay.frames();
        bytes = isLost ? bytes.subarray(0, random(bytes.length + 1)) : bytes;
        const piece = random(3) === 0 ? 1 + random(3) : bytes.length;
        let isAskedAgain = false;
        for (let at = 0; at < bytes.length && !isAskedAgain; at += piece) {
            try {
                link.receive(Buffer.from(bytes.subarray(at, at + piece)));
            } catch (e) {
                isAskedAgain = e instanceof AskedAgain;
                assert.ok(isAskedAgain, String(e));
            }
        }
        core.batch()?.items.forEach(apply);
        if (isLost || isAskedAgain) {
            counts.askedAgain += isAskedAgain ? 1 : 0;
            if (isLost && random(4) === 0) {
                relay.restart();
            }
            begin();
        } else if (progress.isComplete && relay.isLive) {
            check(relay.stream.length);
        }
    }
}

test("at each completion the view is that of the stream", () => {
    const counts = { begun: 0, goneOn: 0, completed: 0, askedAgain: 0 };
    const first = Math.floor(Math.random() * 2 ** 31);
    for (let seed = first; seed < first + 300; seed++) {
        try {
            schedule(randomOf(seed), counts);
        } catch (e) {
            throw new Error(`seed ${seed}: ${String(e)}`, { cause: e });
        }
    }
    assert.ok(
        Object.values(counts).every((count) => count > 0),
        JSON.stringify(counts),
    );
});

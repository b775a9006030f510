/** Frames of all kinds with odd values, damaged and cut: each ends in a typed error, or is understood. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionFailed } from "../src/errors.js";
import type { Link } from "../src/link.js";
import { publisherSettings, subscriberSettings } from "../src/options.js";
import { PublisherCore } from "../src/publisher-core.js";
import { SubscriberCore } from "../src/subscriber-core.js";
import * as wire from "../src/wire.js";
import { ack, gap, goaway, message, numbers, ping, subscribed, welcome } from "./frames.js";

const HERE = { endpoints: "127.0.0.1:1" };
const ROUNDS = 5_000;

/** Numbers from 0 up to a limit; the same ones for the same seed. */
function random(seed: number): (limit: number) => number {
    let state = seed;
    return (limit) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * limit);
    };
}

const ODD = [-(1n << 63n), -1n, 0n, 1n, 2n, 3n, 5n, 8n, 1n << 53n, (1n << 62n) - 1n, 1n << 62n, (1n << 63n) - 1n];

function stream(below: (limit: number) => number): Buffer {
    const odd = (): bigint => ODD[below(ODD.length)] ?? 0n;
    const frames = [
        () => welcome({ next: 1n }),
        () => welcome({ next: odd(), epoch: odd(), accepted: odd(), flags: below(4), fork: odd() }),
        () => welcome({ next: 1n, features: below(64), maxBody: below(100) }),
        () => message("x".repeat(below(20)), below(100)),
        () => message("x", wire.LAST_RESERVED + below(3) - 1),
        () => ping(odd(), odd(), odd()),
        () => gap(odd(), odd(), below(5)),
        () => ack(odd(), odd()),
        () => wire.frame(wire.ACK, numbers(odd(), odd(), odd(), odd())),
        () => wire.frame(wire.SEQUENCE, numbers(odd())),
        () => subscribed(below(3), odd()),
        () => goaway(below(40), below(1000), "text"),
        () => wire.error(below(40), "text"),
        () => wire.frame(-(2 ** 31) + below(256), Buffer.alloc(below(40), below(256))),
    ];
    const start = below(4) === 0 ? [] : [welcome({ next: 1n })];
    const all = Buffer.concat([...start, ...Array.from({ length: below(8) }, () => frames[below(frames.length)]!())]);
    if (all.length > 0 && below(3) === 0) {
        all[below(all.length)] = below(256);
    }
    return all;
}

/** Gives the link these bytes; `false`: they ended the connection. */
function takes(link: Link, bytes: Buffer, below: (limit: number) => number): boolean {
    try {
        for (let at = 0; at < bytes.length;) {
            const piece = below(2) === 0 ? bytes.length : 1 + below(10);
            // A socket gives a buffer of its own for each piece.
            link.receive(Buffer.from(bytes.subarray(at, at + piece)));
            at += piece;
        }
        return true;
    } catch (e) {
        assert.ok(e instanceof ConnectionFailed, String(e));
        return false;
    } finally {
        link.output();
    }
}

test("a subscriber over damaged connections", () => {
    const below = random(1);
    let taken = 0;
    let core = new SubscriberCore(subscriberSettings(HERE));
    for (let round = 0; round < ROUNDS; round++) {
        if (round % 50 === 0) {
            core = new SubscriberCore(
                subscriberSettings({
                    ...HERE,
                    types: round % 100 === 0 ? [] : [[1, 50]],
                    start: round % 200 < 100 ? "live" : "state",
                }),
            );
        }
        const { link } = core.connect("here");
        taken += takes(link, stream(below), below) ? 1 : 0;
        const batch = core.batch();
        assert.ok(core.next >= 0n && core.next <= (1n << 62n) + 1n, String(core.next));
        assert.ok((batch?.items.length ?? 0) <= 64);
    }
    assert.ok(taken > ROUNDS / 20 && taken < ROUNDS, String(taken));
});

test("a publisher over damaged connections", () => {
    const below = random(2);
    let taken = 0;
    let core = new PublisherCore(publisherSettings(HERE));
    for (let round = 0; round < ROUNDS; round++) {
        if (round % 50 === 0) {
            const acks = round % 100 === 0 ? { acks: true, name: "x" } : {};
            core = new PublisherCore(publisherSettings({ ...HERE, maxBody: 100, buffer: 1000, ...acks }));
        }
        const { link } = core.connect("here");
        for (let i = below(10); i > 0; i--) {
            core.offer(1, Buffer.alloc(below(100)));
        }
        taken += takes(link, stream(below), below) ? 1 : 0;
        core.toSend(100 + below(1000));
        if (below(2) === 0) {
            core.written();
        }
        core.lost();
        assert.ok(core.settled <= core.messages);
    }
    assert.ok(taken > ROUNDS / 20 && taken < ROUNDS, String(taken));
});

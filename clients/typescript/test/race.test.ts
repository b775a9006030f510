/** Names of several addresses. */
import assert from "node:assert/strict";
import * as net from "node:net";
import { test } from "node:test";

import { Hold } from "../src/program.js";
import { connectTo, inTurn, Race } from "../src/race.js";
import { FakeRelay } from "./fake-relay.js";

const HANG = { timeout: 120_000 };

test("both families take turns", () => {
    assert.deepEqual(inTurn(["::1", "::2", "::3", "1.1.1.1", "2.2.2.2"]), ["::1", "1.1.1.1", "::2", "2.2.2.2", "::3"]);
    assert.deepEqual(inTurn(["1.1.1.1", "::1"]), ["1.1.1.1", "::1"]);
    assert.deepEqual(inTurn([]), []);
});

async function race(addresses: readonly string[], open: (address: string) => net.Socket): Promise<net.Socket> {
    // A race itself keeps no program alive.
    const hold = new Hold();
    try {
        return await new Promise((won, lost) => {
            new Race(addresses, open, won, (causes) => lost(new AggregateError(causes)));
        });
    } finally {
        hold.end();
    }
}

test("dead addresses keep nobody waiting, and are closed", HANG, async () => {
    await using relay = await FakeRelay.start();
    const [host, port] = relay.endpoint.split(":");
    // Begins nothing, and so never ends.
    const dead = [new net.Socket(), new net.Socket()];
    const socket = await race(["first", "second", "third"], (address) => {
        return { first: dead[0], second: dead[1] }[address] ?? connectTo({ host: host!, port: Number(port) });
    });
    assert.ok(!socket.connecting && !socket.destroyed);
    assert.ok(dead.every((one) => one.destroyed));
    socket.destroy();
});

// A round trip above the time between two addresses: the first one goes on while others fail.
test("a slow address is not given up for one that cannot be reached", HANG, async () => {
    const slow = new net.Socket();
    const refuse = (): net.Socket => {
        const socket = new net.Socket();
        setImmediate(() => {
            socket.destroy(new Error("unreachable"));
            setImmediate(() => slow.emit("connect"));
        });
        return socket;
    };
    assert.equal(await race(["slow", "unreachable"], (address) => (address === "slow" ? slow : refuse())), slow);
    assert.ok(!slow.destroyed);
});

test("all addresses fail", HANG, async () => {
    const failing = (address: string): net.Socket => {
        const socket = new net.Socket();
        setImmediate(() => socket.destroy(new Error(`${address} refuses`)));
        return socket;
    };
    await assert.rejects(race(["a", "b"], failing), (all: AggregateError) => {
        assert.deepEqual(
            all.errors.map((error: Error) => error.message),
            ["a refuses", "b refuses"],
        );
        return true;
    });
});

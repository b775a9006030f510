/** The test vectors of docs/protocol.md. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { RelayError } from "../src/errors.js";
import * as wire from "../src/wire.js";

const VECTORS = new URL("../../../../relay-protocol/src/test/resources/vectors/", import.meta.url);
const options = existsSync(VECTORS) ? {} : { skip: `no ${VECTORS.pathname}: the tests run outside of the repository` };

const DECODERS = new Map<string, (body: Buffer) => unknown>([
    ["welcome", wire.decodeWelcome],
    ["ping", wire.decodePing],
    ["pong", wire.decodePong],
    ["sequence", wire.decodeSequence],
    ["gap", wire.decodeGap],
    ["ack", wire.decodeAck],
    ["error", wire.decodeError],
    ["goaway", wire.decodeGoaway],
    ["subscribed", wire.decodeSubscribed],
    ["retry", wire.decodeRetryAfter],
]);

function bytesOf(name: string): Buffer {
    const text = readFileSync(new URL(name, VECTORS), "utf8").replace(/#.*/g, "");
    return Buffer.from(text.replace(/\s/g, ""), "hex");
}

function vectors(kind: string): { name: string; frame: Buffer; decode: (body: Buffer) => unknown }[] {
    const found = readdirSync(VECTORS)
        .filter((name) => name.startsWith(`${kind}-`) && name.endsWith(".hex"))
        .flatMap((name) => {
            const decode = DECODERS.get(name.split(/[-.]/)[1] ?? "");
            return decode === undefined ? [] : [{ name, frame: bytesOf(name), decode }];
        });
    assert.ok(found.length > 30, `${found.length} vectors in ${VECTORS.pathname}`);
    return found;
}

test("good frames are read", options, () => {
    for (const { name, frame, decode } of vectors("good")) {
        assert.equal(frame.readInt32BE(4), frame.length - wire.HEADER, name);
        assert.doesNotThrow(() => decode(frame.subarray(wire.HEADER)), name);
    }
});

test("bad frames are refused", options, () => {
    for (const { name, frame, decode } of vectors("bad")) {
        assert.throws(
            () => decode(frame.subarray(wire.HEADER)),
            (error: unknown) => error instanceof RelayError && error.code === 12,
            name,
        );
    }
});

test("the fork of a WELCOME is read", options, () => {
    const welcome = wire.decodeWelcome(bytesOf("good-welcome-rolled-back.hex").subarray(wire.HEADER));
    assert.ok(welcome.epochChanged && welcome.rolledBack && welcome.fork > 0n);
    assert.equal(welcome.intervalMs, undefined);
});

test("the interval of a WELCOME is read", options, () => {
    const welcome = wire.decodeWelcome(bytesOf("good-welcome-interval-peer-epochs.hex").subarray(wire.HEADER));
    assert.deepEqual([welcome.intervalMs, welcome.peer?.identity], [10, "audit"]);
});

test("HELLO is that of the vectors", options, () => {
    assert.deepEqual(wire.hello({ role: wire.PUBLISHER }), bytesOf("good-hello-publisher-minimal.hex"));
    const newest = { role: wire.SUBSCRIBER, policy: wire.POLICIES.indexOf("latest"), name: "audit" };
    const features = wire.SEQUENCES | wire.INTERVAL;
    const state = wire.hello({ ...newest, start: wire.STATE, features, intervalMs: 500 });
    assert.deepEqual(state, bytesOf("good-hello-interval.hex"));
    const everything = wire.hello({
        ...newest,
        features: wire.INTERVAL | wire.LEVELS | wire.TOKEN,
        token: "Zm9yIHRoZSB2ZWN0b3JzIG9ubHk",
        intervalMs: 10,
    });
    assert.deepEqual(everything, bytesOf("good-hello-interval-token-level.hex"));
    const audit = wire.hello({
        role: wire.SUBSCRIBER,
        start: wire.FROM_SEQUENCE,
        features: wire.SEQUENCES,
        epoch: 0x1122334455667788n,
        number: 1000n,
        ranges: [[100, 199]],
        name: "audit",
    });
    // The example of docs/protocol.md, "Filters".
    const expected =
        "80000001 00000037 00010001 01000100 00000002 00000000 1122334455667788 00000000000003E8" +
        "00010000 00000000 00000064 000000C7 0005 6175646974";
    assert.deepEqual(audit, Buffer.from(expected.replace(/ /g, ""), "hex"));
});

test("an ERROR's text is cut between characters", () => {
    const frame = wire.error(12, "ü" + "€".repeat(600));
    assert.deepEqual(wire.decodeError(frame.subarray(wire.HEADER)), { code: 12, text: "ü" + "€".repeat(170) });
});

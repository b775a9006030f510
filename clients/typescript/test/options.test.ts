/** Options that are refused before anything is sent. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Publisher, Subscriber, UsageError } from "../src/index.js";
import { parseEndpoint, publisherSettings, subscriberSettings } from "../src/options.js";

const HERE = { endpoints: "127.0.0.1:1" };

function refused(make: () => unknown, what: string): void {
    assert.throws(make, { constructor: UsageError, kind: "yours", code: 0 }, what);
}

test("endpoints", () => {
    assert.deepEqual(parseEndpoint("[::1]:5"), { host: "::1", port: 5, path: "", text: "[::1]:5" });
    assert.equal(parseEndpoint("unix:/a:b").path, "/a:b");
    for (const text of ["", "host", "host:", ":1", "host:0", "host:65536", "host:+1", "::1:5", "unix:", "host:٣"]) {
        refused(() => parseEndpoint(text), text);
    }
    refused(() => new Subscriber({ endpoints: [] }), "none");
});

const BAD_SUBSCRIBERS: Record<string, unknown>[] = [
    { name: "n".repeat(256) },
    { name: "ü".repeat(128) },
    { name: "a\u001bb" },
    { name: "\ud800" },
    { name: 5 },
    { token: "" },
    { token: "t".repeat(256) },
    { heartbeatMs: 99 },
    { heartbeatMs: 3_600_001 },
    { connectTimeoutMs: 0 },
    { connectTimeoutMs: 2 ** 31 },
    { handshakeTimeoutMs: -1 },
    { maxBody: (64 << 20) + 1 },
    { maxBody: -1 },
    { maxBody: 0.5 },
    { maxBody: NaN },
    { types: [[1, 0]] },
    { types: [[-(2 ** 31), 0]] },
    { types: [[1]] },
    { types: [["1", "2"]] },
    { types: Array.from({ length: 1025 }, () => [1, 1]) },
    { start: "yesterday" },
    { start: { sequence: 0n } },
    { start: { sequence: 5 } },
    { start: { sequence: 1n << 63n } },
    { start: { sequence: 1n, epoch: 1n << 63n } },
    { start: { time: new Date(0) } },
    { start: { time: new Date(NaN) } },
    { policy: "newest" },
    { level: "engraved" },
    { buffer: 0 },
    { plain: true, name: "x" },
    { plain: true, types: [[1, 1]] },
    { plain: true, start: "earliest" },
    { plain: true, intervalMs: 1_000 },
    { intervalMs: 0 },
    { intervalMs: 9 },
    { intervalMs: 3_600_001 },
    { intervalMs: 10.5 },
    { intervalMs: 1_000, policy: "skip" },
    { reconnect: { rounds: -1 } },
    { reconnect: { firstMs: 0 } },
    { reconnect: { longestMs: 10 } },
    { reconnect: { jitter: 1.1 } },
    { tls: { ca: "/no/such/file" } },
    { tls: { certificate: "only.pem" } },
    { tls: { ca: new URL(import.meta.url).pathname } },
    { tls: {}, endpoints: "unix:/tmp/x" },
];

for (const options of BAD_SUBSCRIBERS) {
    const what = JSON.stringify(options, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
    test(`a subscriber refuses ${what.slice(0, 80)}`, () => {
        refused(() => new Subscriber({ ...HERE, ...options }), what);
    });
}

const BAD_PUBLISHERS: Record<string, unknown>[] = [
    { acks: true },
    { acks: true, name: "x", plain: true },
    { producer: new Uint8Array(16) },
    { level: "forced" },
    { acks: true, name: "x", producer: new Uint8Array(15) },
    { acks: true, name: "x", producer: new Uint8Array(16) },
    { acks: true, name: "x", producer: Uint8Array.from({ length: 16 }, () => 1), producerFile: "/tmp/x" },
    { acks: true, name: "x", firstNumber: -1n },
    { acks: true, name: "x", firstNumber: 1 },
    { buffer: 1000 },
    { buffer: 2 ** 30 + 1 },
    { closeTimeoutMs: 0 },
];

for (const options of BAD_PUBLISHERS) {
    const what = JSON.stringify(options, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
    test(`a publisher refuses ${what}`, () => {
        refused(() => new Publisher({ ...HERE, ...options }), what);
    });
}

test("the error names the value and the limit", () => {
    assert.throws(() => subscriberSettings({ ...HERE, name: "n".repeat(256) }), /256 bytes.*255/);
    assert.throws(() => publisherSettings({ ...HERE, buffer: 1000 }), /1000.*1048584/);
    assert.throws(() => subscriberSettings({ ...HERE, intervalMs: 9 }), /interval in ms 9 .*10..3600000/);
    const skips = { ...HERE, intervalMs: 500, policy: "skip" } as const;
    assert.throws(() => subscriberSettings(skips), /interval of 500 ms needs the policy latest, not skip/);
});

test("an interval asks for the policy latest", () => {
    for (const policy of ["default", "latest"] as const) {
        for (const intervalMs of [10, 3_600_000]) {
            assert.equal(subscriberSettings({ ...HERE, policy, intervalMs }).policy, "latest");
        }
    }
});

test("the producer's id is kept in a file", () => {
    const directory = mkdtempSync(join(tmpdir(), "msgrelay-"));
    try {
        const producerFile = join(directory, "id");
        const options = { ...HERE, name: "x", acks: true, producerFile };
        const first = publisherSettings(options).producer;
        assert.deepEqual(publisherSettings(options).producer, first);
        assert.equal(readFileSync(producerFile, "latin1"), `${Buffer.from(first ?? []).toString("hex")}\n`);
        assert.equal(statSync(producerFile).mode & 0o777, 0o600);
        assert.deepEqual(readdirSync(directory), ["id"]);
        for (const content of ["", "no hex digits", "0".repeat(31), "0".repeat(33), "0".repeat(1000), "0".repeat(32)]) {
            writeFileSync(producerFile, content);
            refused(() => publisherSettings(options), content);
        }
        refused(() => publisherSettings({ ...options, producerFile: join(directory, "none", "id") }), "no directory");
    } finally {
        rmSync(directory, { recursive: true });
    }
});

/** Programs that end without closing their publisher. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";

import { FakeRelay } from "./fake-relay.js";
import { ack, welcome } from "./frames.js";

const HANG = { timeout: 120_000 };
const INDEX = JSON.stringify(new URL("../src/index.js", import.meta.url));

/** Runs a program with a publisher, and returns its exit code and what it said on stderr. */
function run(relay: FakeRelay, options: string, program: string): Promise<{ code: number | null; said: string }> {
    const text = `
        import { Publisher } from ${INDEX};
        const endpoints = ${JSON.stringify(relay.endpoint)};
        const client = new Publisher({ endpoints, name: "orders", ${options} });
        ${program}`;
    let said = "";
    const child = execFile(process.execPath, ["--input-type=module", "-e", text]);
    child.stderr!.on("data", (data: string) => (said += data));
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
}

const PUBLISH = `for (let i = 0; i < 1000; i++) { await client.publish(7, Buffer.from("message " + i)); }`;

test("what was published is acknowledged before the program ends", HANG, async () => {
    await using relay = await FakeRelay.start();
    const ended = run(relay, "acks: true", PUBLISH);
    const connection = await relay.accept(welcome());
    for (let i = 0; i < 1000; i++) {
        assert.equal((await connection.frame()).body.toString(), `message ${i}`);
    }
    connection.send(ack(1000n));
    assert.deepEqual(await ended, { code: 0, said: "" });
});

test("a publisher without anything to settle ends with its program", HANG, async () => {
    await using relay = await FakeRelay.start();
    const ended = run(relay, "", "await client.connected();");
    await relay.accept(welcome());
    assert.deepEqual(await ended, { code: 0, said: "" });
});

test("nor does one that nobody answers keep it", HANG, async () => {
    const relay = await FakeRelay.start();
    await relay[Symbol.asyncDispose]();
    assert.deepEqual(await run(relay, "onEvent: () => undefined", ""), { code: 0, said: "" });
});

test("what the relay does not acknowledge in time is told", HANG, async () => {
    await using relay = await FakeRelay.start();
    const ended = run(relay, "acks: true, closeTimeoutMs: 3000", PUBLISH);
    const connection = await relay.accept(welcome());
    for (let i = 0; i < 1000; i++) {
        await connection.frame();
    }
    connection.send(ack(10n));
    const { code, said } = await ended;
    assert.equal(code, 0);
    assert.match(said, /^relay: .* publisher "orders": (1000|990) of 1000 messages not acknowledged\n$/);
});

test("what process.exit loses is told", HANG, async () => {
    await using relay = await FakeRelay.start();
    for (const [options, what] of [
        ["acks: true", "acknowledged"],
        ["", "confirmed"],
    ] as const) {
        const { code, said } = await run(relay, options, `${PUBLISH} process.exit(3);`);
        assert.equal(code, 3);
        assert.ok(said.endsWith(`publisher "orders": 1000 of 1000 messages not ${what}\n`), said);
    }
});

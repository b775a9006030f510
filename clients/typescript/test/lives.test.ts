import assert from "node:assert/strict";
import { test } from "node:test";

import { type Event, Subscriber } from "../src/index.js";
import { inCommon } from "../src/lives.js";
import type { Life } from "../src/wire.js";
import { FakeRelay } from "./fake-relay.js";
import { message, welcome } from "./frames.js";

function lives(...rows: readonly (readonly [number, number])[]): Life[] {
    return rows.map(([epoch, first]) => ({ epoch: BigInt(epoch), first: BigInt(first) }));
}

test("the newest life in common, and what is the same in both", () => {
    const [b7, b5, a] = [lives([200, 7], [100, 1]), lives([200, 5], [100, 1]), lives([100, 1])];
    const cases: [string, Life[], Life[], { rest: Life[]; changed: bigint } | undefined][] = [
        ["the backup's own", b7, lives([300, 7], [100, 1]), { rest: a, changed: 7n }],
        ["began earlier there", b7, lives([300, 5], [100, 1]), { rest: a, changed: 5n }],
        ["began earlier here", b5, lives([300, 7], [100, 1]), { rest: a, changed: 5n }],
        [
            "the lowest of several",
            lives([400, 6], [350, 8], [200, 4], [100, 1]),
            lives([600, 9], [500, 7], [200, 4], [100, 1]),
            { rest: lives([200, 4], [100, 1]), changed: 6n },
        ],
        ["nothing newer there", b7, a, { rest: a, changed: 7n }],
        ["the newest is not known there", b7, lives([300, 9], [200, 7]), undefined],
        ["none", lives([200, 7]), lives([300, 7]), undefined],
        ["no lives", [], lives([300, 7], [100, 1]), undefined],
        ["none there", b7, [], undefined],
    ];
    for (const [name, mine, theirs, expected] of cases) {
        assert.deepEqual(inCommon(mine, theirs), expected, name);
    }
});

// The relay that is asked again is the same one, and no try of the policy; only what is gone is told.
test("a subscriber behind an older backup", { timeout: 120_000 }, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    await using client = new Subscriber({
        endpoints: relay.endpoint,
        reconnect: { rounds: 1, firstMs: 1, longestMs: 1 },
        onEvent: (event) => events.push(event),
    });
    const known = welcome({
        epoch: 200n,
        lives: [
            [200n, 2n],
            [100n, 1n],
        ],
    });
    const put = {
        epoch: 300n,
        lives: [
            [300n, 2n],
            [100n, 1n],
        ],
    } as const;
    const items = client[Symbol.asyncIterator]();
    const one = await relay.accept(known, message("a"), message("b"), message("c"));
    for (let i = 0; i < 3; i++) {
        await items.next();
    }
    one.cut();
    const two = await relay.accept(welcome({ ...put, flags: 1 }), message("x"));
    const { hello, ...three } = await relay.accept();
    await two.ended;
    assert.deepEqual([hello.body[6], hello.body.readBigInt64BE(16), hello.body.readBigInt64BE(24)], [1, 100n, 2n]);
    assert.deepEqual((await items.next()).value, { kind: "rolledBack", from: 2n, to: 3n });
    assert.deepEqual([client.epoch, client.next], [100n, 2n]);
    three.socket.write(Buffer.concat([welcome({ ...put, next: 2n }), message("B")]));
    const item = (await items.next()).value!;
    assert.ok(item.kind === "message" && item.sequence === 2n && item.body.toString() === "B");
    assert.deepEqual([client.epoch, client.next], [300n, 3n]);
    assert.deepEqual(
        events.map((event) => event.kind),
        ["connected", "lost", "rolledBack", "connected"],
    );
});

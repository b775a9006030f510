/** The clients over real sockets, against a relay of this test's own. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";

import {
    ConnectionFailed,
    type Event,
    type Item,
    Message,
    NotDone,
    Publisher,
    type PublisherOptions,
    Subscriber,
    type SubscriberOptions,
    UsageError,
} from "../src/index.js";
import * as wire from "../src/wire.js";
import { type Accepted, FakeRelay } from "./fake-relay.js";
import { ack, gap, message, ping, welcome } from "./frames.js";

// A hang alone takes so long.
const HANG = { timeout: 120_000 };
const SOON = { firstMs: 1, longestMs: 1 };

function subscriber(relay: FakeRelay, options: Partial<SubscriberOptions> = {}): Subscriber {
    return new Subscriber({ endpoints: relay.endpoint, reconnect: SOON, ...options });
}

function publisher(relay: FakeRelay, options: Partial<PublisherOptions> = {}): Publisher {
    return new Publisher({ endpoints: relay.endpoint, reconnect: SOON, name: "x", acks: true, ...options });
}

function texts(items: readonly Item[]): unknown[] {
    return items.map((item) => (item instanceof Message ? item.body.toString() : item.kind));
}

async function first(from: AsyncIterable<Item>): Promise<Item> {
    for await (const item of from) {
        return item;
    }
    return assert.fail("closed");
}

async function until(condition: () => boolean): Promise<void> {
    while (!condition()) {
        await new Promise((resolve) => setImmediate(resolve));
    }
}

test("a subscriber over a cut", HANG, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    await using client = subscriber(relay, { onEvent: (event) => events.push(event) });
    const one = await relay.accept(welcome(), message("a"), gap(2n, 3n));
    const items = client[Symbol.asyncIterator]();
    const a = (await items.next()).value;
    assert.ok(a instanceof Message);
    assert.deepEqual([a.sequence, a.type, a.body.toString(), a.length], [1n, 1, "a", 1]);
    assert.deepEqual((await items.next()).value, { kind: "gap", from: 2n, to: 3n, reason: 1 });
    assert.deepEqual([client.epoch, client.next, client.messages, client.bytes], [7n, 4n, 1, 9]);
    one.cut();
    await relay.accept(welcome({ next: 4n }), message("b"), message("c"));
    assert.deepEqual(texts([(await items.next()).value!]), ["b"]);
    assert.equal(client.next, 5n);
    // Another loop goes on behind the last item.
    assert.deepEqual(texts([await first(client)]), ["c"]);
    assert.ok(events.some((event) => event.kind === "lost"));
    await client.close();
    assert.deepEqual(await items.next(), { done: true, value: undefined });
    assert.deepEqual(await client.batch(), []);
});

test("a batch after a loop, and in vain", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay);
    await relay.accept(welcome(), message("a"), message("b"), message("b"), message("b"));
    assert.equal((await first(client)).kind, "message");
    assert.equal(client.messages, 1);
    const got: Item[] = [];
    while (got.length < 3) {
        got.push(...(await client.batch()));
    }
    assert.deepEqual(texts(got), ["b", "b", "b"]);
    assert.deepEqual(await client.batch(10), []);
    assert.deepEqual([client.messages, client.next], [4, 5n]);
});

test("readers at the same time share the items", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay);
    const items = client[Symbol.asyncIterator]();
    const waiting = [items.next(), items.next(), items.next()];
    const connection = await relay.accept(welcome(), message("a"));
    await sleep(10);
    connection.send(message("b"), message("c"));
    const got = (await Promise.all(waiting)).map((result) => result.value!);
    assert.deepEqual(texts(got).sort(), ["a", "b", "c"]);
    const batches = [client.batch(), client.batch()];
    connection.send(message("d"));
    await Promise.race(batches);
    connection.send(message("e"));
    assert.deepEqual(texts((await Promise.all(batches)).flat()).sort(), ["d", "e"]);
});

test("a subscriber that gives up hands over what came before", HANG, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    await using client = subscriber(relay, { onEvent: (event) => events.push(event) });
    await relay.accept(welcome(), message("a"), wire.error(28, "who are you"));
    const items = client[Symbol.asyncIterator]();
    assert.deepEqual(texts([(await items.next()).value!]), ["a"]);
    const isFatal = (error: unknown): boolean =>
        error instanceof ConnectionFailed && error.kind === "fatal" && error.code === 28;
    await assert.rejects(items.next(), isFatal);
    await assert.rejects(client.batch(), isFatal);
    await assert.rejects(client.types([[1, 1]]), isFatal);
    assert.equal(events.at(-1)?.kind, "gaveUp");
});

test("a close ends the loops", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay);
    const connection = await relay.accept(welcome());
    await client.connected();
    const loop = (async () => {
        const got: Item[] = [];
        for await (const item of client) {
            got.push(item);
        }
        return got;
    })();
    await Promise.all([client.close(), client.close()]);
    assert.deepEqual(await loop, []);
    await assert.rejects(client.types([]), ConnectionFailed);
    await connection.ended;
});

test("an exception of the hook ends the client", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay, {
        onEvent: () => {
            throw new TypeError("a fault of the user");
        },
    });
    await relay.accept(welcome());
    await assert.rejects(client.batch(), (error: unknown) => {
        assert.ok(error instanceof ConnectionFailed);
        assert.match(error.message, /a fault of the user/);
        return error.kind === "fatal";
    });
});

test("a slow reader stops the reading, and misses nothing", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay, { buffer: 10_000 });
    const connection = await relay.accept(welcome());
    await client.connected();
    const chunk = Buffer.concat(Array.from({ length: 64 }, () => message("x".repeat(1000))));
    const { rounds, isFull } = await connection.flood(() => chunk, 1000);
    assert.ok(isFull);
    let got = 0;
    while (got < 64 * rounds) {
        got += (await client.batch()).length;
    }
    assert.equal(got, 64 * rounds);
});

test("a slow reader says that it lives, also if no pause is long", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay, { buffer: 10_000 });
    const connection = await relay.accept(welcome({ heartbeatMs: 200 }));
    await client.connected();
    const chunk = Buffer.concat(Array.from({ length: 100 }, () => message("x".repeat(1_000))));
    let isOver = false;
    const isDone = (): boolean => isOver;
    const fill = (): void => {
        while (connection.socket.write(chunk)) {
            // The socket takes more.
        }
    };
    connection.socket.on("drain", fill);
    fill();
    const reading = (async () => {
        while (!isDone()) {
            await client.batch();
            await sleep(5);
        }
    })();
    for (let i = 0; i < 3; i++) {
        const { type, body } = await connection.frame();
        assert.deepEqual([type, body], [wire.PONG, Buffer.alloc(8)]);
    }
    connection.socket.off("drain", fill);
    isOver = true;
    await client.close();
    await reading;
});

test("gaps are bounded too", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay);
    const connection = await relay.accept(welcome());
    await client.connected();
    const gaps = (round: number): Buffer =>
        Buffer.concat(Array.from({ length: 1000 }, (_, i) => BigInt(1000 * round + i + 1)).map((at) => gap(at, at)));
    assert.ok((await connection.flood(gaps, 1000)).isFull);
    assert.deepEqual(await first(client), { kind: "gap", from: 1n, to: 1n, reason: 1 });
});

test("a subscriber that is full connects again only when it has room", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay, { plain: true, buffer: 1 });
    (await relay.acceptPlain()).cut();
    // The notice of what was missed fills the buffer.
    (await relay.acceptPlain()).socket.destroy();
    await sleep(200);
    assert.equal(relay.waiting, 0);
    assert.deepEqual(texts([await first(client)]), ["missed"]);
    await relay.acceptPlain();
});

test("a relay that asks and takes no answers", HANG, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    await using client = publisher(relay, { acks: false, closeTimeoutMs: 1, onEvent: (event) => events.push(event) });
    const connection = await relay.accept(welcome());
    connection.socket.pause();
    // The socket is full then.
    while (await client.publish(1, Buffer.alloc(100_000), 200)) {
        assert.ok(client.messages < 1000);
    }
    await until(() => {
        connection.send(ping(1n, 1n, 0n));
        return events.some((event) => event.kind === "lost");
    });
    const lost = events.find((event) => event.kind === "lost");
    assert.match(lost?.error.message ?? "", /takes no answers/);
    await client.close();
});

test("what a socket has not taken yet stays as it is when the connection ends", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = publisher(relay, { acks: false, maxBody: 50_000, closeTimeoutMs: 1 });
    const connection = await relay.accept(welcome());
    connection.socket.pause();
    let number = 0;
    const next = (): Buffer => Buffer.alloc(50_000, number % 251);
    while (await client.publish(number, next(), 200)) {
        number++;
    }
    // A broken rule: the client ends the connection, and publishes on.
    connection.send(welcome());
    const again = relay.accept(welcome());
    const before = number;
    setTimeout(() => connection.socket.resume(), 100);
    while (number < before + 40) {
        if (client.offer(number, next())) {
            number++;
        }
        await new Promise((resolve) => setImmediate(resolve));
    }
    await connection.ended;
    let expected = 0;
    for (let rest = connection.unread; rest.length >= wire.HEADER;) {
        const type = rest.readInt32BE(0);
        if (type === wire.ERROR) {
            break;
        }
        const end = wire.HEADER + rest.readInt32BE(4);
        if (type === wire.PING) {
            rest = rest.subarray(end);
            continue;
        }
        assert.equal(type, expected);
        assert.ok(rest.subarray(wire.HEADER, end).every((byte) => byte === expected % 251));
        rest = rest.subarray(end);
        expected++;
    }
    assert.ok(expected > 10 && expected <= before);
    await again;
    await client.close();
});

test("types change while live", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = subscriber(relay);
    await assert.rejects(client.types([[2, 1]]), UsageError);
    const connection = await relay.accept(welcome());
    const changed = client.types([[5, 6]]);
    assert.deepEqual(await connection.frame(), {
        type: wire.SUBSCRIBE,
        body: wire.subscribe(1, [[5, 6]]).subarray(wire.HEADER),
    });
    connection.cut();
    const again = await relay.accept(welcome());
    assert.deepEqual(again.hello.body.subarray(40, 48), Buffer.from("0000000500000006", "hex"));
    assert.equal(await changed, 1n);
});

test("a publisher over a cut", HANG, async () => {
    await using relay = await FakeRelay.start();
    const acked: unknown[] = [];
    await using client = publisher(relay, { onAck: (...numbers) => acked.push(numbers) });
    const one = await relay.accept(welcome({ accepted: 4n }));
    for (const text of ["a", "b", "c"]) {
        assert.ok(await client.publish(1, Buffer.from(text)));
    }
    for (const text of ["a", "b", "c"]) {
        assert.equal((await one.frame()).body.toString(), text);
    }
    one.send(ack(6n, 60n));
    await until(() => client.settled === 2);
    assert.equal(await client.flush(10), false);
    one.cut();
    const again = await relay.accept(welcome({ accepted: 6n }));
    assert.equal((await again.frame()).body.toString(), "c");
    again.send(ack(7n, 70n));
    assert.ok(await client.flush());
    assert.deepEqual(acked, [
        [6n, 60n],
        [7n, 70n],
    ]);
    assert.deepEqual([client.firstNumber, client.messages, client.settled, client.bytes], [5n, 3, 3, 27]);
    assert.equal(await client.close(), 0);
});

test("a publisher waits for room, in the order of the calls", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = publisher(relay, { maxBody: 2000, buffer: 4016 });
    const connection = await relay.accept(welcome());
    const body = Buffer.alloc(2000);
    assert.deepEqual(
        [1, 2, 3].map(() => client.offer(1, body)),
        [true, true, false],
    );
    assert.equal(await client.publish(1, body, 10), false);
    assert.equal(await client.publish(1, body, 0), false);
    const taken: number[] = [];
    const calls = [3, 4, 5].map(async (number) => {
        await client.publish(number, body.subarray(0, number === 4 ? 0 : 1500));
        taken.push(number);
    });
    // The small one waits for its turn, and so does an offer.
    await connection.frame();
    connection.send(ack(1n));
    await calls[0];
    assert.equal(client.offer(9, Buffer.alloc(0)), false);
    connection.send(ack(2n));
    await Promise.all(calls.slice(0, 2));
    connection.send(ack(3n));
    await Promise.all(calls);
    assert.deepEqual(taken, [3, 4, 5]);
    const types: number[] = [];
    for (let i = 0; i < 4; i++) {
        types.push((await connection.frame()).type);
    }
    assert.deepEqual(types, [1, 3, 4, 5]);
    connection.send(ack(5n));
    assert.ok(await client.flush());
});

test("calls that are not awaited are bounded", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = publisher(relay, { maxBody: 1000, buffer: 10_000, closeTimeoutMs: 1 });
    await relay.accept(welcome());
    const results = await Promise.allSettled([
        ...Array.from({ length: 1000 }, () => client.publish(1, Buffer.alloc(1000))),
        sleep(50).then(() => client.close()),
    ]);
    const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
    assert.ok(reasons.every((reason) => reason instanceof UsageError));
    assert.ok(reasons.filter((reason) => reason.message.includes("await them")).length > 970);
    assert.ok(reasons.some((reason) => reason.message.includes("closed")));
});

test("a close tells what was not settled", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = publisher(relay, { closeTimeoutMs: 50 });
    const connection = await relay.accept(welcome());
    await client.publish(1, Buffer.from("a"));
    assert.equal(await client.close(), 1);
    await assert.rejects(client.publish(1, Buffer.from("b")), UsageError);
    await connection.ended;
});

test("a message after the close is refused, and a flush ends", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = publisher(relay, { closeTimeoutMs: 1 });
    await client.publish(1, Buffer.from("a"));
    const flushed = assert.rejects(client.flush(), UsageError);
    await client.close();
    await flushed;
    assert.throws(() => client.offer(1, Buffer.alloc(0)), UsageError);
});

/** A publisher with HELLO and without ACKS. */
function confirming(relay: FakeRelay, options: Partial<PublisherOptions> = {}): Publisher {
    return publisher(relay, { acks: false, closeTimeoutMs: 60_000, ...options });
}

async function expectFrames(connection: Accepted, ...frames: Buffer[]): Promise<void> {
    for (const expected of frames) {
        const { type, body } = await connection.frame();
        assert.deepEqual(wire.frame(type, body), expected);
    }
}

/** The next frame is a PING of a client; returns its id. */
async function expectPing(connection: Accepted): Promise<bigint> {
    const { type, body } = await connection.frame();
    const id = body.readBigInt64BE();
    assert.deepEqual(wire.frame(type, body), wire.ping(id));
    return id;
}

test("a flush waits until the relay has read, and shares its PING", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = confirming(relay);
    const connection = await relay.accept(welcome());
    await client.publish(1, Buffer.from("a"));
    const flushed = Promise.all([client.flush(), client.flush(), client.flush()]);
    await expectFrames(connection, message("a"));
    const first = await expectPing(connection);
    assert.deepEqual([client.settled, client.confirmed], [1, 0]);
    await assert.rejects(client.flush(1), /^NotDone: 1 sent, 1 in doubt: the relay has not confirmed them$/);
    connection.send(wire.pong(first));
    assert.deepEqual(await flushed, [true, true, true]);
    assert.equal(client.confirmed, 1);
    await client.publish(1, Buffer.from("b"));
    const closed = client.close();
    await expectFrames(connection, message("b"));
    connection.send(wire.pong(await expectPing(connection)));
    assert.deepEqual([await closed, await client.close(), client.confirmed], [0, 0, 2]);
    await connection.ended;
});

test("a caller in a loop leaves the event loop its turns", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = publisher(relay, { plain: true, name: "", acks: false, maxBody: 262_144, buffer: 262_152 });
    await client.connected();
    let turned = false;
    setImmediate(() => (turned = true));
    // Each is written when it is taken, and the socket takes at least the first one at once.
    await client.publish(1, Buffer.alloc(262_144));
    await client.publish(1, Buffer.alloc(262_144));
    assert.ok(turned);
});

test("a PING comes after each heartbeat", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = confirming(relay);
    for (const confirmed of [1, 2]) {
        // Over a connection that is new each time.
        const connection = await relay.accept(welcome({ heartbeatMs: 100 }));
        await client.publish(1, Buffer.from("a"));
        await expectFrames(connection, message("a"));
        connection.send(wire.pong(await expectPing(connection)));
        await until(() => client.confirmed === confirmed);
        connection.cut();
    }
    assert.equal(client.confirmed, 2);
});

test("the end of a block tells what is in doubt", HANG, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    const block = async (): Promise<void> => {
        await using client = confirming(relay, { onEvent: (event) => events.push(event) });
        const connection = await relay.accept(welcome());
        await client.publish(1, Buffer.from("a"));
        await client.publish(1, Buffer.from("b"));
        await expectFrames(connection, message("a"), message("b"));
        connection.cut();
        await until(() => events.some(({ kind }) => kind === "lost"));
    };
    await assert.rejects(block(), (e: unknown) => {
        assert.ok(e instanceof NotDone);
        assert.match(e.message, /^2 sent, 2 in doubt: .* closed the connection$/);
        return e.messages === 2 && e.inDoubt === 2;
    });
    assert.deepEqual(
        events.filter((event) => event.kind === "inDoubt"),
        [{ kind: "inDoubt", messages: 2 }],
    );
});

test("a lost connection ends a close, and a flush", HANG, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    await using client = confirming(relay, { onEvent: (event) => events.push(event) });
    const connection = await relay.accept(welcome());
    await client.publish(1, Buffer.from("a"));
    const flushed = client.flush().catch((e: unknown) => e);
    const closed = [client.close(), client.close()];
    await expectFrames(connection, message("a"));
    await expectPing(connection);
    connection.socket.resetAndDestroy();
    const error = await flushed;
    assert.ok(error instanceof NotDone && error.inDoubt === 1);
    assert.deepEqual(await Promise.all(closed), [1, 1]);
    assert.equal(await client.close(), 0);
    assert.ok(!events.some(({ kind }) => kind === "lost" || kind === "gaveUp"));
    assert.equal(relay.waiting, 0);
});

test("an exception of the hook about a loss ends the publisher", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using client = confirming(relay, {
        onEvent: (event) => {
            if (event.kind === "inDoubt") {
                throw new Error("a fault of the user");
            }
        },
    });
    const connection = await relay.accept(welcome());
    await client.publish(1, Buffer.from("a"));
    await expectFrames(connection, message("a"));
    connection.cut();
    await assert.rejects(client.flush(), (e: unknown) => {
        assert.ok(e instanceof NotDone);
        assert.match(e.message, /1 sent, 1 in doubt: .*a fault of the user/);
        return e.kind === "fatal";
    });
});

test("a PONG that does not come keeps no process alive behind the close time-out", HANG, async () => {
    await using relay = await FakeRelay.start();
    const program = `
        import { Publisher } from ${JSON.stringify(new URL("../src/index.js", import.meta.url))};
        const client = new Publisher({ endpoints: ${JSON.stringify(relay.endpoint)}, closeTimeoutMs: 50 });
        while (await client.publish(1, Buffer.alloc(100_000), 100));
        client.flush().catch(() => undefined);
        void client.close().then((left) => console.log(left, client.messages - client.confirmed));`;
    let said = "";
    const child = execFile(process.execPath, ["--input-type=module", "-e", program]);
    child.stdout!.on("data", (data: string) => (said += data));
    const ended = new Promise((resolve) => child.once("close", resolve));
    const connection = await relay.accept(welcome());
    connection.socket.pause();
    assert.equal(await ended, 0);
    assert.match(said, /^([1-9]\d+) \1\n$/);
});

test("the relay's last word to a plain publisher", HANG, async () => {
    await using relay = await FakeRelay.start();
    const events: Event[] = [];
    await using client = new Publisher({
        endpoints: relay.endpoint,
        plain: true,
        reconnect: SOON,
        onEvent: (event) => events.push(event),
    });
    await client.publish(1, Buffer.from("a"));
    const connection = await relay.acceptPlain();
    connection.closes = false;
    await connection.frame();
    setTimeout(() => connection.socket.end(wire.error(7, "the wrong port")), 50);
    assert.equal(await client.close(), 0);
    const end = events.at(-1);
    assert.equal(end?.kind === "gaveUp" ? end.error.code : undefined, 7);
});

test("a relay that is not there", HANG, async () => {
    await using relay = await FakeRelay.start();
    relay.close();
    await using client = subscriber(relay, { reconnect: { rounds: 0 } });
    await assert.rejects(client.connected(), (error: unknown) => {
        assert.ok(error instanceof ConnectionFailed);
        assert.match(error.message, /ECONNREFUSED/);
        return error.kind === "retry" && error.code === 0;
    });
    await client.close();
});

test("a name of several addresses, none of them there", HANG, async () => {
    await using relay = await FakeRelay.start();
    relay.close();
    const endpoints = relay.endpoint.replace("127.0.0.1", "localhost");
    await using client = subscriber(relay, { endpoints, reconnect: { rounds: 0 } });
    await assert.rejects(client.connected(), /ECONNREFUSED/);
    await client.close();
});

test("a close at any moment", HANG, async () => {
    await using relay = await FakeRelay.start();
    await using gone = await FakeRelay.start();
    gone.close();
    for (const { endpoint } of [relay, gone]) {
        for (let turns = 0; turns < 30; turns++) {
            const client = new Subscriber({ endpoints: endpoint, reconnect: SOON });
            for (let turn = 0; turn < turns; turn++) {
                await new Promise((resolve) => (turn % 2 === 0 ? setImmediate(resolve) : process.nextTick(resolve)));
            }
            await client.close();
        }
    }
});

test("nothing of a closed client keeps the process alive", HANG, async () => {
    await using relay = await FakeRelay.start();
    const program = `
        import { Publisher, Subscriber } from ${JSON.stringify(new URL("../src/index.js", import.meta.url))};
        const endpoints = ["127.0.0.1:1", ${JSON.stringify(relay.endpoint)}];
        for (const client of [new Subscriber({ endpoints }), new Publisher({ endpoints, name: "x", acks: true })]) {
            await client.connected();
            await client.close();
        }
        const never = new Subscriber({ endpoints: "127.0.0.1:1" });
        setTimeout(() => void never.close(), 50);
        console.log("closed");`;
    const child = execFile(process.execPath, ["--input-type=module", "-e", program]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await relay.accept(welcome());
    await relay.accept(welcome());
    assert.equal(await ended, 0);
});

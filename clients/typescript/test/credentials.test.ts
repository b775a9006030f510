/** Certificates, keys and tokens that change while a client lives. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as tls from "node:tls";

import { type Event, Subscriber, UsageError } from "../src/index.js";
import * as wire from "../src/wire.js";
import { FakeRelay } from "./fake-relay.js";
import { welcome } from "./frames.js";

const KIT = new URL("../../../conformance/tls/", import.meta.url);
const HANG = 120_000;
const SOON = { firstMs: 1, longestMs: 1 };
const inRepository = existsSync(KIT)
    ? { timeout: HANG }
    : { skip: `no ${KIT.pathname}: the tests run outside of the repository` };

function kit(name: string): Buffer {
    return readFileSync(new URL(name, KIT));
}

class Events {
    readonly #seen: Event[] = [];
    #more: () => void = () => undefined;

    readonly hook = (event: Event): void => {
        this.#seen.push(event);
        this.#more();
    };

    /** Whether there is such an event that was not taken. */
    seen(kind: Event["kind"]): boolean {
        return this.#seen.some((event) => event.kind === kind);
    }

    /** Takes events until there is one of this kind whose error has these words. */
    async next<K extends Event["kind"]>(kind: K, words = ""): Promise<Extract<Event, { kind: K }>> {
        for (;;) {
            const event = this.#seen.shift();
            if (event === undefined) {
                await new Promise<void>((resolve) => (this.#more = resolve));
            } else if (event.kind === kind && (!("error" in event) || event.error.message.includes(words))) {
                return event as Extract<Event, { kind: K }>;
            }
        }
    }
}

/** Welcomes each connection whose handshake succeeds. */
async function secureRelay(clients?: Buffer): Promise<AsyncDisposable & { port: number; serve(name: string): void }> {
    const sockets = new Set<tls.TLSSocket>();
    const options = (name: string): tls.TlsOptions => ({
        cert: kit(`${name}.pem`),
        key: kit(`${name}.key`),
        ...(clients && { requestCert: true, rejectUnauthorized: true, ca: clients }),
    });
    const server = tls.createServer(options("server"), (socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.once("data", () => socket.write(welcome()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        port: (server.address() as AddressInfo).port,
        /** Cuts the connections; the next ones get this certificate. */
        serve: (name) => {
            server.setSecureContext(options(name));
            sockets.forEach((socket) => socket.destroy());
            sockets.clear();
        },
        [Symbol.asyncDispose]: () => {
            sockets.forEach((socket) => socket.destroy());
            return new Promise((resolve) => server.close(() => resolve()));
        },
    };
}

class Folder implements Disposable {
    readonly #path = mkdtempSync(join(tmpdir(), "relay-"));

    file(name: string, content: Buffer | string): string {
        const path = join(this.#path, name);
        writeFileSync(path, content);
        return path;
    }

    [Symbol.dispose](): void {
        rmSync(this.#path, { recursive: true });
    }
}

test("the authority's file is read for each connection", inRepository, async () => {
    using folder = new Folder();
    await using relay = await secureRelay();
    const events = new Events();
    const ca = folder.file("ca", kit("other-ca.pem"));
    await using client = new Subscriber({
        endpoints: `127.0.0.1:${relay.port}`,
        reconnect: SOON,
        tls: { ca },
        onEvent: events.hook,
    });
    assert.equal((await events.next("lost", "TLS with")).error.kind, "retry");
    folder.file("ca", kit("ca.pem"));
    await client.connected();
    await events.next("connected");

    unlinkSync(ca);
    relay.serve("server");
    await events.next("lost", "no such file");
    folder.file("ca", "-----BEGIN CERTIFICATE-----\n");
    await events.next("lost", "TLS files");
    folder.file("ca", kit("ca.pem"));
    await events.next("connected");

    relay.serve("expired");
    assert.equal((await events.next("lost", "expired")).error.kind, "retry");
    relay.serve("server");
    await events.next("connected");

    relay.serve("other-name");
    const { error } = await events.next("gaveUp");
    assert.equal(error.kind, "fatal");
    assert.match(error.message, /127\.0\.0\.1/);
});

// That the relay refuses it comes as an alert, which Node.js as a server does not send: the kit has that case.
test("a certificate and its key may be written one after the other", inRepository, async () => {
    using folder = new Folder();
    await using relay = await secureRelay(kit("ca.pem"));
    const events = new Events();
    const [certificate, key] = [folder.file("c", kit("other-client.pem")), folder.file("k", kit("other-client.key"))];
    await using client = new Subscriber({
        endpoints: `127.0.0.1:${relay.port}`,
        reconnect: SOON,
        tls: { ca: folder.file("ca", kit("ca.pem")), certificate, key },
        onEvent: events.hook,
    });
    await events.next("lost");
    folder.file("c", kit("client.pem"));
    await events.next("lost", "key values mismatch");
    folder.file("k", kit("client.key"));
    await client.connected();
});

test("a certificate that has ended is told once", inRepository, async () => {
    using folder = new Folder();
    await using relay = await secureRelay();
    const events = new Events();
    const [certificate, key] = [folder.file("c", kit("expired.pem")), folder.file("k", kit("expired.key"))];
    await using client = new Subscriber({
        endpoints: `127.0.0.1:${relay.port}`,
        reconnect: SOON,
        tls: { ca: folder.file("ca", kit("ca.pem")), certificate, key },
        onEvent: events.hook,
    });
    assert.ok((await events.next("certificate")).days <= 0);
    await events.next("connected");
    relay.serve("server");
    await events.next("lost");
    assert.ok(!events.seen("certificate"));
    await events.next("connected");
    assert.ok(!events.seen("certificate"));
    await client.close();
});

function tokenOf(hello: Buffer): string {
    const name = 42 + hello.readUInt16BE(40);
    return hello.toString("utf8", name + 16 + 2);
}

test("the token's file is read for each connection", { timeout: HANG }, async () => {
    using folder = new Folder();
    await using relay = await FakeRelay.start();
    const events = new Events();
    const tokenFile = folder.file("token", "one\r\n");
    const options = { endpoints: relay.endpoint, reconnect: SOON, tokenFile, onEvent: events.hook };
    await using client = new Subscriber(options);
    // More often than five times.
    for (let i = 0; i < 10; i++) {
        const connection = await relay.accept(wire.error(28, "who are you"));
        assert.equal(tokenOf(connection.hello.body), "one");
        const { error } = await events.next("lost");
        assert.deepEqual([error.kind, error.code], ["retry", 28]);
    }
    unlinkSync(tokenFile);
    await events.next("lost", "no such file");
    folder.file("token", "two");
    // The one that was on its way may have the first one.
    let token = "one";
    while (token === "one") {
        token = tokenOf((await relay.accept(wire.error(28, "who are you"))).hello.body);
    }
    assert.equal(token, "two");
    await relay.accept(welcome());
    await client.connected();
    assert.throws(() => new Subscriber({ ...options, tokenFile: "/none" }), UsageError);
    assert.throws(() => new Subscriber({ ...options, token: "x" }), UsageError);
});

test("the token's function is called for each connection", { timeout: HANG }, async () => {
    await using relay = await FakeRelay.start();
    const events = new Events();
    let calls = 0;
    const token = (): Promise<string> => {
        calls++;
        return calls === 2 ? Promise.reject(new Error("no token today")) : Promise.resolve(`t${calls}`);
    };
    await using client = new Subscriber({ endpoints: relay.endpoint, reconnect: SOON, token, onEvent: events.hook });
    const one = await relay.accept();
    one.cut();
    await events.next("lost", "no token today");
    const three = await relay.accept();
    assert.deepEqual(
        [one, three].map((connection) => tokenOf(connection.hello.body)),
        ["t1", "t3"],
    );
    three.send(welcome());
    await client.connected();
});

test("the token's function fails at first, or never ends", { timeout: HANG }, async () => {
    await using relay = await FakeRelay.start();
    const failing = new Subscriber({
        endpoints: relay.endpoint,
        token: () => {
            throw new Error("no token today");
        },
        onEvent: () => undefined,
    });
    await assert.rejects(
        failing.connected(),
        (error) => error instanceof UsageError && error.message.includes("today"),
    );
    const events = new Events();
    const waiting = new Subscriber({
        endpoints: relay.endpoint,
        connectTimeoutMs: 10,
        token: () => new Promise<string>(() => undefined),
        onEvent: events.hook,
    });
    await events.next("lost", "within 10 ms");
    await waiting.close();
    assert.equal(relay.waiting, 0);
});

test("a token that stays the same is refused for good", { timeout: HANG }, async () => {
    await using relay = await FakeRelay.start();
    await using client = new Subscriber({ endpoints: relay.endpoint, token: "one", onEvent: () => undefined });
    await relay.accept(wire.error(28, "who are you"));
    await assert.rejects(client.connected(), { kind: "fatal", code: 28 });
});

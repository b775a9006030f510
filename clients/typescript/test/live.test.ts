/**
 * Round trips with a real relay, if RELAY_SERVER_JAR names its jar.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";

import { Message, Publisher, Subscriber } from "../src/index.js";

const { RELAY_SERVER_JAR: jar = "" } = process.env;
// A hang alone takes so long.
const HANG = { timeout: 120_000 };

describe("with a real relay", { skip: jar === "" && "RELAY_SERVER_JAR names no relay-server.jar" }, () => {
    const directory = mkdtempSync(join(tmpdir(), "msgrelay-"));
    let relay: ChildProcess | undefined;
    let [publish, subscribe] = ["", ""];

    before(async () => {
        const options = ["--publish-port=0", "--subscribe-port=0", "--admin=none", `--journal=${directory}/journal`];
        relay = spawn("java", ["-jar", jar, ...options, `--subscribe-socket=${directory}/subscribe`], {
            stdio: ["ignore", "pipe", "inherit"],
        });
        for await (const line of createInterface({ input: relay.stdout! })) {
            const ports = /publishers (127\.0\.0\.1:\d+).*subscribers (127\.0\.0\.1:\d+)/.exec(line);
            if (ports !== null) {
                [, publish, subscribe] = ports as unknown as [string, string, string];
                break;
            }
        }
        assert.notEqual(publish, "", "the relay has ended");
        relay.stdout?.resume();
    });

    after(async () => {
        if (relay?.kill("SIGKILL") === true) {
            await once(relay, "exit");
        }
        rmSync(directory, { recursive: true });
    });

    test("acknowledged, and read from the journal", HANG, async () => {
        await using publisher = new Publisher({ endpoints: publish, name: "live", acks: true, level: "written" });
        for (let i = 0; i < 1000; i++) {
            await publisher.publish(70, Buffer.from(String(i)));
        }
        assert.ok(await publisher.flush());
        await using subscriber = new Subscriber({ endpoints: subscribe, start: "earliest", types: [[70, 70]] });
        const got: string[] = [];
        while (got.length < 1000) {
            const messages = (await subscriber.batch()).filter((item) => item instanceof Message);
            got.push(...messages.map((message) => message.body.toString()));
        }
        assert.deepEqual(
            got,
            Array.from({ length: 1000 }, (_, i) => String(i)),
        );
        assert.ok((await subscriber.types([[8, 8]])) >= subscriber.next);
    });

    test("over a Unix socket", HANG, async () => {
        await using subscriber = new Subscriber({ endpoints: `unix:${directory}/subscribe`, types: [[9, 9]] });
        await subscriber.connected();
        await using publisher = new Publisher({ endpoints: publish });
        await publisher.publish(9, Buffer.from("hello"));
        for await (const item of subscriber) {
            assert.ok(item instanceof Message);
            assert.deepEqual([item.type, item.body.toString()], [9, "hello"]);
            break;
        }
    });
});

/** Tries and waits, without a clock. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionFailed, FEW, fromRelay } from "../src/errors.js";
import { parseEndpoint, type Reconnect, subscriberSettings } from "../src/options.js";
import { MOST_HOPES, Reconnector } from "../src/retry.js";

const LOST = new ConnectionFailed("lost");

function reconnector(endpoints: string[] = ["h:1"], policy: Reconnect = {}, random = 0): Reconnector {
    const { reconnect } = subscriberSettings({ endpoints, reconnect: policy });
    return new Reconnector(endpoints.map(parseEndpoint), reconnect, () => random);
}

function waits(retry: Reconnector, count: number, end = LOST): unknown[] {
    return Array.from({ length: count }, () => retry.failed(end, 0));
}

test("waits double up to the longest", () => {
    assert.deepEqual(waits(reconnector(), 9), [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test("tries go on for ever", () => {
    const retry = reconnector();
    waits(retry, 5000);
    assert.equal(retry.failed(LOST, 0), 10_000);
});

test("jitter takes a share off", () => {
    assert.equal(reconnector(["h:1"], {}, 1).failed(LOST, 0), 50);
});

test("slow errors wait longest at once", () => {
    assert.equal(reconnector().failed(fromRelay(18, ""), 0), 10_000);
});

test("a told time takes the place of the longest wait", () => {
    const retry = reconnector();
    const full = fromRelay(18, "");
    const got = [300, 300, 0].map((told) => {
        retry.retryAfter(told);
        return retry.failed(full, 5);
    });
    assert.deepEqual(got, [300, 300, 400]);
    assert.equal(retry.failed(full, 5), 10_000);
});

test("a told time gets a share, up to the longest wait", () => {
    for (const [told, expected] of [
        [4000, 6000],
        [9000, 10_000],
        [10_000, 10_000],
        [3_600_000, 5000],
    ] as const) {
        const retry = reconnector(["h:1"], {}, 1);
        retry.retryAfter(told);
        assert.equal(retry.failed(LOST, 0), expected);
    }
});

test("a told time is for its endpoint", () => {
    const retry = reconnector(["a:1", "b:1"]);
    retry.retryAfter(2000);
    assert.equal(retry.failed(LOST, 0), 0);
    assert.equal(retry.failed(LOST, 500), 1500);
    assert.equal(retry.current.text, "a:1");
    assert.equal(retry.failed(LOST, 2000), 0);
});

test("few tries", () => {
    const hope = new ConnectionFailed("perhaps", FEW);
    const got = waits(reconnector(), MOST_HOPES + 1, hope);
    assert.ok(got.slice(0, MOST_HOPES).every((wait) => typeof wait === "number"));
    assert.equal(got[MOST_HOPES], hope);
});

test("rounds are used up", () => {
    assert.deepEqual(waits(reconnector(["a:1", "b:1"], { rounds: 1 }), 4), [0, 100, 0, LOST]);
    assert.equal(reconnector(["h:1"], { rounds: 0 }).failed(LOST, 0), LOST);
});

test("a fatal error stops at once", () => {
    const end = fromRelay(28, "");
    assert.equal(reconnector().failed(end, 0), end);
});

test("the count starts again after a steady connection", () => {
    const retry = reconnector();
    waits(retry, 5);
    retry.welcomed(100_000);
    retry.progressed(111_000);
    assert.equal(retry.failed(LOST, 0), 100);
});

test("the same endpoint comes first after a connection that worked", () => {
    const retry = reconnector(["a:1", "b:1"]);
    retry.welcomed(0);
    retry.progressed(1000);
    retry.failed(LOST, 0);
    assert.equal(retry.current.text, "a:1");
    retry.failed(LOST, 0);
    assert.equal(retry.current.text, "b:1");
});

test("the next endpoint comes after GOAWAY", () => {
    for (const [code, expected] of [
        [10, "b:1"],
        [33, "a:1"],
    ] as const) {
        const retry = reconnector(["a:1", "b:1"]);
        retry.welcomed(0);
        retry.progressed(1000);
        retry.leaving(code);
        retry.failed(LOST, 0);
        assert.equal(retry.current.text, expected);
    }
});

test("three ends in a row before any WELCOME get a guess, and more tries", () => {
    const retry = reconnector();
    const end = new ConnectionFailed("end", undefined, 0, { unanswered: true });
    assert.equal(retry.explained(end), end);
    assert.equal(retry.explained(LOST), LOST);
    assert.equal(retry.explained(end), end);
    assert.equal(retry.explained(end), end);
    for (const ends of [3, 4]) {
        const guess = retry.explained(end);
        assert.equal(guess.kind, "retry");
        assert.match(guess.message, new RegExp(`^end; ${ends} in a row before any WELCOME: .* plain: true$`));
        assert.equal(typeof retry.failed(guess, 0), "number");
    }
});

test("ends before a later WELCOME are no sign", () => {
    const retry = reconnector();
    const end = new ConnectionFailed("end", undefined, 0, { unanswered: true });
    retry.welcomed(0);
    for (let i = 0; i < 5; i++) {
        assert.equal(retry.explained(end), end);
    }
});

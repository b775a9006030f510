import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionFailed, type Event } from "../src/index.js";
import { tellFirstSlip } from "../src/slip.js";

const connected: Event = {
    kind: "connected",
    endpoint: "h:1",
    plain: false,
    epoch: 1n,
    next: 1n,
    accepted: 0n,
    policy: "",
    server: "",
};
const lost: Event = {
    kind: "lost",
    endpoint: "h:1",
    error: new ConnectionFailed("connect to h:1: refused"),
    retryInMs: 1,
};

function told(...events: Event[]): string[] {
    const lines: string[] = [];
    const hook = tellFirstSlip((text) => lines.push(text));
    events.forEach(hook);
    return lines;
}

test("the first failure to connect is told, and the first success after it", () => {
    const failed = "relay: not connected yet, and trying on: connect to h:1: refused";
    const success = "relay: connected to h:1";
    assert.deepEqual(told(lost, lost, connected, lost, lost, connected), [failed, success]);
    // A lost connection is none, but the failure to have another one is.
    assert.deepEqual(told(connected, lost, connected), []);
    assert.deepEqual(told(connected, lost, lost, connected), [failed, success]);
});

test("a certificate that ends, and a state that is late, are told", () => {
    assert.deepEqual(
        told(...[30, 1, 0].map((days): Event => ({ kind: "certificate", days })), {
            kind: "stateLate",
            endpoint: "h:1",
            seconds: 10,
        }),
        [
            "relay: the client's certificate ends within 30 days",
            "relay: the client's certificate ends within 1 day",
            "relay: the client's certificate has ended",
            "relay: the state from h:1 is not complete after 10 s: its types change faster than they are taken here",
        ],
    );
});

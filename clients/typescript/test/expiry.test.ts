import assert from "node:assert/strict";
import { test } from "node:test";

import { Expiry } from "../src/expiry.js";

const DAY = 86_400_000;
const END = 2_000_000_000_000;

test("each of 30, 7 and 1 days is told once, and the end", () => {
    const expiry = new Expiry();
    assert.equal(expiry.due(END), undefined);
    expiry.certificate(END);
    const due = (msLeft: number): number | undefined => expiry.due(END - msLeft);
    assert.deepEqual(
        [30 * DAY + 1, 30 * DAY, 29 * DAY, 7 * DAY + 1, 5 * DAY + 1, 5 * DAY, 1, 1, 0, -3 * DAY].map(due),
        [undefined, 30, undefined, undefined, 6, undefined, 1, undefined, 0, undefined],
    );
    // The same one over another connection, and then another one, which ended long ago.
    expiry.certificate(END);
    assert.equal(due(-3 * DAY), undefined);
    expiry.certificate(END - 10 * DAY);
    assert.equal(due(-3.5 * DAY + 10 * DAY), -3);
    expiry.certificate(undefined);
    assert.equal(due(0), undefined);
});

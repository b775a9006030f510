/** Bytes of frames: docs/protocol.md. No state, no input or output. */
import { BrokenRule, MALFORMED_CONTROL } from "./errors.js";

/** First and last type, both included. */
export type Range = readonly [number, number];

export const HEADER = 8;

// Types of control frames, as signed numbers.
const LOWEST = -(2 ** 31);
export const HELLO = LOWEST + 1;
export const WELCOME = LOWEST + 2;
export const SUBSCRIBE = LOWEST + 3;
export const PING = LOWEST + 4;
export const PONG = LOWEST + 5;
export const SEQUENCE = LOWEST + 6;
export const GAP = LOWEST + 7;
export const ACK = LOWEST + 8;
export const ERROR = LOWEST + 9;
export const GOAWAY = LOWEST + 10;
export const SUBSCRIBED = LOWEST + 11;
export const RETRY_AFTER = LOWEST + 12;
export const LAST_RESERVED = LOWEST + 0xff;
export const MUST_UNDERSTAND = LOWEST + 0x80;
const NAMES = "HELLO WELCOME SUBSCRIBE PING PONG SEQUENCE GAP ACK ERROR GOAWAY SUBSCRIBED RETRY_AFTER".split(" ");

export const MAX_CONTROL = 16_384;
export const MAX_BODY = 64 << 20;
export const MAX_RANGES = 1_024;
/** Lives of the stream in a WELCOME. */
const MOST_LIVES = 16;
export const MAX_NAME = 255;
const MAX_TEXT = 512;
const MAX_RETRY_AFTER_MS = 3_600_000;
export const MIN_INTERVAL_MS = 10;
export const MAX_INTERVAL_MS = 3_600_000;
export const MAX_TYPE = 2 ** 31 - 1;
export const MAX_NUMBER = (1n << 63n) - 1n;

export const SUBSCRIBER = 1;
export const PUBLISHER = 2;
export const ACKS = 1;
export const SEQUENCES = 2;
export const NARROWED = 4;
export const INTERVAL = 1 << 3;
export const PEER = 1 << 4;
export const LEVELS = 1 << 5;
export const EPOCHS = 1 << 6;
export const TOKEN = 1 << 16;
export const POLICIES = ["default", "disconnect", "backpressure", "skip", "replay", "latest"] as const;
export const LEVEL_NAMES = ["stream", "written", "forced"] as const;
export const LIVE = 0;
export const FROM_SEQUENCE = 1;
export const EARLIEST = 2;
export const FROM_TIME = 3;
export const STATE = 4;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });

export function name(type: number): string {
    const known = NAMES[type - LOWEST - 1] ?? "control frame";
    return `${known} (0x${(type >>> 0).toString(16).toUpperCase()})`;
}

export function frame(type: number, body: Uint8Array): Buffer {
    const out = Buffer.allocUnsafe(HEADER + body.length);
    out.writeInt32BE(type, 0);
    out.writeInt32BE(body.length, 4);
    out.set(body, HEADER);
    return out;
}

function string(text: string): Buffer {
    const bytes = Buffer.from(text);
    const length = Buffer.allocUnsafe(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
}

function rangesOf(ranges: readonly Range[]): Buffer {
    const out = Buffer.allocUnsafe(8 * ranges.length);
    ranges.forEach(([from, to], i) => {
        out.writeInt32BE(from, 8 * i);
        out.writeInt32BE(to, 8 * i + 4);
    });
    return out;
}

export interface Hello {
    readonly role: number;
    readonly policy?: number;
    readonly start?: number;
    readonly features?: number;
    readonly heartbeatMs?: number;
    readonly epoch?: bigint;
    readonly number?: bigint;
    readonly ranges?: readonly Range[];
    readonly name?: string;
    readonly producer?: Uint8Array | undefined;
    readonly token?: string;
    readonly level?: number;
    readonly intervalMs?: number;
}

export function hello(fields: Hello): Buffer {
    const { features = 0, ranges = [] } = fields;
    const fixed = Buffer.alloc(40);
    fixed.writeUInt16BE(1, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt8(fields.role, 4);
    fixed.writeUInt8(fields.policy ?? 0, 5);
    fixed.writeUInt8(fields.start ?? LIVE, 6);
    fixed.writeUInt32BE(features, 8);
    fixed.writeInt32BE(fields.heartbeatMs ?? 0, 12);
    fixed.writeBigInt64BE(fields.epoch ?? 0n, 16);
    fixed.writeBigInt64BE(fields.number ?? 0n, 24);
    fixed.writeUInt16BE(ranges.length, 32);
    const parts: Uint8Array[] = [fixed, rangesOf(ranges), string(fields.name ?? "")];
    if (fields.producer !== undefined || (features & (TOKEN | LEVELS | INTERVAL)) !== 0) {
        parts.push(fields.producer ?? new Uint8Array(16));
    }
    if ((features & TOKEN) !== 0) {
        parts.push(string(fields.token ?? ""));
    }
    if ((features & LEVELS) !== 0) {
        parts.push(Uint8Array.of(fields.level ?? 0));
    }
    if ((features & INTERVAL) !== 0) {
        const interval = Buffer.allocUnsafe(4);
        interval.writeUInt32BE(fields.intervalMs ?? 0);
        parts.push(interval);
    }
    return frame(HELLO, Buffer.concat(parts));
}

export function subscribe(request: number, ranges: readonly Range[]): Buffer {
    const fixed = Buffer.alloc(8);
    fixed.writeInt32BE(request, 0);
    fixed.writeUInt16BE(ranges.length, 4);
    return frame(SUBSCRIBE, Buffer.concat([fixed, rangesOf(ranges)]));
}

/** A PING of a client, which says nothing about the stream. */
export function ping(id: bigint): Buffer {
    const body = Buffer.alloc(24);
    body.writeBigInt64BE(id);
    return frame(PING, body);
}

export function pong(id: bigint): Buffer {
    const body = Buffer.allocUnsafe(8);
    body.writeBigInt64BE(id);
    return frame(PONG, body);
}

export function error(code: number, text: string): Buffer {
    // A cut within a character would not be UTF-8: a stream's decoder keeps the half one back.
    const whole = new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_TEXT), { stream: true });
    const bytes = Buffer.from(whole);
    const body = Buffer.allocUnsafe(2 + bytes.length);
    body.writeUInt16BE(code);
    body.set(bytes, 2);
    return frame(ERROR, body);
}

function malformed(type: number, text: string): BrokenRule {
    return new BrokenRule(MALFORMED_CONTROL, `${name(type)}: ${text}`);
}

function checkFields(type: number, body: Buffer, size: number): void {
    if (body.length < size) {
        throw malformed(type, `body of ${body.length} bytes is shorter than its fields of ${size}`);
    }
}

function checkWithin(
    type: number,
    field: string,
    value: number | bigint,
    low: number | bigint,
    high: number | bigint = MAX_NUMBER,
): void {
    if (value < low || value > high) {
        throw malformed(type, `${field} ${value} is not within ${low}..${high}`);
    }
}

function checkReserved(type: number, value: number): void {
    if (value !== 0) {
        throw malformed(type, `reserved field is ${value}, not 0`);
    }
}

/** A control character is in the text. */
export function hasControlCharacter(text: string): boolean {
    return /\p{Cc}/u.test(text);
}

/** A life of a stream: its epoch, and the sequence of the first message that it could give. */
export interface Life {
    readonly epoch: bigint;
    readonly first: bigint;
}

export interface Welcome {
    readonly version: number;
    readonly policy: string;
    readonly epochChanged: boolean;
    readonly rolledBack: boolean;
    readonly features: number;
    readonly epoch: bigint;
    readonly next: bigint;
    readonly accepted: bigint;
    readonly maxBody: number;
    readonly heartbeatMs: number;
    readonly idleMs: number;
    readonly mostRanges: number;
    readonly server: string;
    readonly fork: bigint;
    /** The stream's newest lives, the newest first; none without EPOCHS. */
    readonly lives: readonly Life[];
    /** With INTERVAL: how often messages come. */
    readonly intervalMs: number | undefined;
    /** With PEER: what the relay sees of this client. */
    readonly peer: Peer | undefined;
}

/** The address of a client, and the name of its identity; empty: it has none. */
export interface Peer {
    readonly address: string;
    readonly identity: string;
}

export function decodeWelcome(body: Buffer): Welcome {
    checkFields(WELCOME, body, 50);
    const flags = body.readUInt8(3);
    const epoch = body.readBigInt64BE(8);
    const policy = POLICIES[body.readUInt8(2)];
    const heartbeatMs = body.readInt32BE(36);
    checkWithin(WELCOME, "version", body.readUInt16BE(0), 1);
    if (policy === undefined) {
        throw malformed(WELCOME, `policy ${body.readUInt8(2)} is not within 0..${POLICIES.length - 1}`);
    }
    if (epoch === 0n) {
        throw malformed(WELCOME, "epoch is 0, which stands for none");
    }
    checkWithin(WELCOME, "next", body.readBigInt64BE(16), 1);
    checkWithin(WELCOME, "accepted", body.readBigInt64BE(24), 0);
    checkWithin(WELCOME, "longest body", body.readInt32BE(32), 1, MAX_BODY);
    checkWithin(WELCOME, "heartbeat in ms", heartbeatMs, 100, 3_600_000);
    checkWithin(WELCOME, "idle timeout in ms", body.readInt32BE(40), heartbeatMs);
    checkReserved(WELCOME, body.readUInt16BE(46));
    const rest = new Appended(body, 48);
    const server = rest.string("server");
    const rolledBack = (flags & 3) === 3;
    const features = body.readUInt32BE(4);
    const needsFork = (features & (EPOCHS | INTERVAL | PEER)) !== 0;
    const fork = rest.isAtEnd && !needsFork ? 0n : rest.int64("fork");
    if (rolledBack) {
        checkWithin(WELCOME, "fork, needed for ROLLED_BACK,", fork, 1);
    } else if (fork !== 0n) {
        throw malformed(WELCOME, `fork ${fork} is not 0 without ROLLED_BACK`);
    }
    const lives = (features & EPOCHS) === 0 ? [] : decodeLives(rest);
    const intervalMs = (features & INTERVAL) === 0 ? undefined : rest.uint32("interval");
    if (intervalMs !== undefined) {
        checkWithin(WELCOME, "interval in ms", intervalMs, MIN_INTERVAL_MS, MAX_INTERVAL_MS);
    }
    return {
        version: body.readUInt16BE(0),
        policy,
        epochChanged: (flags & 1) !== 0,
        rolledBack,
        features,
        epoch,
        next: body.readBigInt64BE(16),
        accepted: body.readBigInt64BE(24),
        maxBody: body.readInt32BE(32),
        heartbeatMs,
        idleMs: body.readInt32BE(40),
        mostRanges: body.readUInt16BE(44),
        server,
        fork,
        lives,
        intervalMs,
        peer:
            (features & PEER) === 0
                ? undefined
                : { address: rest.string("address"), identity: rest.string("identity") },
    };
}

/** The fields of WELCOME from an offset on, in their order. */
class Appended {
    readonly #body: Buffer;
    #at: number;

    constructor(body: Buffer, at: number) {
        this.#body = body;
        this.#at = at;
    }

    get isAtEnd(): boolean {
        return this.#at === this.#body.length;
    }

    uint16(field: string): number {
        return this.#body.readUInt16BE(this.#take(field, 2));
    }

    uint32(field: string): number {
        return this.#body.readUInt32BE(this.#take(field, 4));
    }

    int64(field: string): bigint {
        return this.#body.readBigInt64BE(this.#take(field, 8));
    }

    string(field: string): string {
        const length = this.uint16(`length of ${field}`);
        checkWithin(WELCOME, `length of ${field}`, length, 0, MAX_NAME);
        const start = this.#take(field, length);
        return decodeString(WELCOME, field, this.#body.subarray(start, start + length));
    }

    #take(field: string, size: number): number {
        const start = this.#at;
        this.#at += size;
        if (this.#at > this.#body.length) {
            throw malformed(
                WELCOME,
                `body of ${this.#body.length} bytes ends within ${field}, which needs ${this.#at}`,
            );
        }
        return start;
    }
}

function decodeLives(rest: Appended): Life[] {
    const count = rest.uint16("count of epochs");
    checkWithin(WELCOME, "count of epochs", count, 0, MOST_LIVES);
    checkReserved(WELCOME, rest.uint16("count of epochs"));
    const lives: Life[] = [];
    for (let i = 0; i < count; i++) {
        const [epoch, first] = [rest.int64("epochs"), rest.int64("epochs")];
        if (epoch === 0n) {
            throw malformed(WELCOME, "an epoch is 0, which stands for none");
        }
        checkWithin(WELCOME, "first sequence of an epoch", first, 1);
        lives.push({ epoch, first });
    }
    return lives;
}

function decodeString(type: number, field: string, bytes: Buffer): string {
    let text: string;
    try {
        text = UTF8.decode(bytes);
    } catch {
        throw malformed(type, `${field} is not UTF-8`);
    }
    if (hasControlCharacter(text)) {
        throw malformed(type, `${field} holds a control character`);
    }
    return text;
}

export function decodePing(body: Buffer): { id: bigint; next: bigint; head: bigint } {
    checkFields(PING, body, 24);
    const next = body.readBigInt64BE(8);
    const head = body.readBigInt64BE(16);
    checkWithin(PING, "next", next, 0);
    checkWithin(PING, "head", head, 0);
    return { id: body.readBigInt64BE(0), next, head };
}

/** Id. */
export function decodePong(body: Buffer): bigint {
    checkFields(PONG, body, 8);
    return body.readBigInt64BE();
}

export function decodeSequence(body: Buffer): bigint {
    checkFields(SEQUENCE, body, 8);
    const next = body.readBigInt64BE(0);
    checkWithin(SEQUENCE, "next", next, 1);
    return next;
}

export function decodeGap(body: Buffer): { from: bigint; to: bigint; reason: number } {
    checkFields(GAP, body, 24);
    const from = body.readBigInt64BE(0);
    const to = body.readBigInt64BE(8);
    const reason = body.readUInt16BE(16);
    checkWithin(GAP, "from", from, 1);
    checkWithin(GAP, "to", to, from);
    checkWithin(GAP, "reason", reason, 1);
    checkReserved(GAP, body.readUInt16BE(18));
    checkReserved(GAP, body.readUInt32BE(20));
    return { from, to, reason };
}

export function decodeAck(body: Buffer): { number: bigint; sequence: bigint; written: bigint; forced: bigint } {
    checkFields(ACK, body, 16);
    const number = body.readBigInt64BE(0);
    const sequence = body.readBigInt64BE(8);
    checkWithin(ACK, "number", number, 1);
    checkWithin(ACK, "sequence", sequence, 1);
    if (body.length === 16) {
        return { number, sequence, written: 0n, forced: 0n };
    }
    if (body.length < 32) {
        throw malformed(ACK, `body of ${body.length} bytes ends within written and forced, which needs 32`);
    }
    const written = body.readBigInt64BE(16);
    const forced = body.readBigInt64BE(24);
    checkWithin(ACK, "written", written, 0, number);
    checkWithin(ACK, "forced", forced, 0, written);
    return { number, sequence, written, forced };
}

export function decodeError(body: Buffer): { code: number; text: string } {
    checkFields(ERROR, body, 2);
    const code = body.readUInt16BE(0);
    checkWithin(ERROR, "code", code, 1);
    return { code, text: LENIENT.decode(body.subarray(2)) };
}

export function decodeGoaway(body: Buffer): { code: number; closesInMs: number; text: string } {
    checkFields(GOAWAY, body, 8);
    const code = body.readUInt16BE(0);
    const closesInMs = body.readInt32BE(4);
    checkWithin(GOAWAY, "code", code, 1);
    checkReserved(GOAWAY, body.readUInt16BE(2));
    checkWithin(GOAWAY, "time to close in ms", closesInMs, 0);
    checkWithin(GOAWAY, "length of text", body.length - 8, 0, MAX_TEXT);
    return { code, closesInMs, text: LENIENT.decode(body.subarray(8)) };
}

export function decodeRetryAfter(body: Buffer): number {
    checkFields(RETRY_AFTER, body, 4);
    const waitMs = body.readInt32BE(0);
    checkWithin(RETRY_AFTER, "wait", waitMs, 0, MAX_RETRY_AFTER_MS);
    return waitMs;
}

export function decodeSubscribed(body: Buffer): { request: number; sequence: bigint } {
    checkFields(SUBSCRIBED, body, 16);
    checkReserved(SUBSCRIBED, body.readInt32BE(4));
    const sequence = body.readBigInt64BE(8);
    checkWithin(SUBSCRIBED, "sequence", sequence, 1);
    return { request: body.readInt32BE(0), sequence };
}

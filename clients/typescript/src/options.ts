/**
 * Options of clients. Every broken limit is a `UsageError` with the value and the limit.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";

import { secureContext, tokenIn } from "./credentials.js";
import { UsageError } from "./errors.js";
import type { Event } from "./events.js";
import { tellFirstSlip } from "./slip.js";
import * as wire from "./wire.js";
import type { Range } from "./wire.js";

export type { Range } from "./wire.js";

/** Treatment of a subscriber that is slow. A relay may not know `latest`: of each type the newest message. */
export type Policy = "default" | "disconnect" | "backpressure" | "skip" | "replay" | "latest";

/** How far a message has come: in the stream, written to the journal, forced to the disk. */
export type Level = "stream" | "written" | "forced";

/**
 * Tries after a connection has failed or was lost. A round goes once through all endpoints. A relay that is full may
 * tell a time: its endpoint is then connected again no sooner, but after the longest wait at most.
 */
export interface Reconnect {
    /** Rounds until the client gives up; 0: none; `Infinity`, the default: no end. */
    readonly rounds?: number;
    /** Wait before the first round, doubled from round to round; 100 by default. */
    readonly firstMs?: number;
    /** The longest wait; 10,000 by default. */
    readonly longestMs?: number;
    /** The largest share that is taken off a wait at random, 0 to 1; 0.5 by default. */
    readonly jitter?: number;
}

/**
 * TLS 1.3. Files are PEM. They are read for each connection, so they may be replaced at any time: a try that finds one
 * missing or half written is a lost one.
 */
export interface Tls {
    /** File of the certificates that are trusted; by default those that Node.js trusts. */
    readonly ca?: string;
    /** File of this client's own certificate. */
    readonly certificate?: string;
    /** File of its key. */
    readonly key?: string;
    /** The name that the relay's certificate must have; by default the endpoint's host. */
    readonly serverName?: string;
}

/** Options of both kinds of clients. Sizes are in bytes. */
export interface ConnectionOptions {
    /** One or more of `host:port`, `[ipv6]:port`, `unix:path`, tried in turn. */
    readonly endpoints: string | readonly string[];
    /** No HELLO: no numbers, no acknowledgements, nothing resumed. */
    readonly plain?: boolean;
    /** HELLO's name; at most 255 bytes of UTF-8. */
    readonly name?: string;
    /**
     * The secret that proves this client's identity, or a function that returns it, called for each connection and given
     * up after `connectTimeoutMs`. The function's error is a lost try, but at the first connection a `UsageError` that
     * ends the client. Without TLS a token goes to this host only.
     */
    readonly token?: string | (() => string | Promise<string>);
    /** File with the token as its only line, read for each connection as the files of TLS are. */
    readonly tokenFile?: string;
    /** Interval of the relay's PINGs, 100 to 3,600,000; by default the relay's own. */
    readonly heartbeatMs?: number;
    /** For the connect, and TLS's handshake; 5,000 by default. */
    readonly connectTimeoutMs?: number;
    /** Time from HELLO to WELCOME; 5,000 by default. */
    readonly handshakeTimeoutMs?: number;
    /** Longest body of a message, up to 64 MiB; 1 MiB by default. */
    readonly maxBody?: number;
    /** Tries after a lost connection; for ever by default. */
    readonly reconnect?: Reconnect;
    /** TLS 1.3; by default none. `{}`: with the authorities that Node.js trusts. */
    readonly tls?: Tls;
    /**
     * Gets each event, when it happens on the wire. It may call every method of its client, but not wait for one: it
     * runs within the client's own turn. Its exception ends the client. Without it the first failure to connect, and the
     * first success after it, are told by `console.warn`.
     */
    readonly onEvent?: (event: Event) => void;
}

/**
 * Begin of a subscriber's stream: at the next message, at the oldest one that the relay holds, at a sequence such as
 * `next` and `epoch` of an earlier process (`epoch` 0 or absent: the present one), or at a time.
 *
 * `state`: first the newest message of each type, and then the stream; with `next` and `epoch` of an earlier process
 * that has kept its view, which was complete then, of the types that have changed since. The relay needs its option
 * `--state`.
 */
export type Start =
    | "live"
    | "earliest"
    | "state"
    | { readonly sequence: bigint; readonly epoch?: bigint }
    | { readonly state: bigint; readonly epoch?: bigint }
    | { readonly time: Date };

/** Options of a subscriber. */
export interface SubscriberOptions extends ConnectionOptions {
    /** Ranges of types wanted, both ends included; empty, the default: every type. */
    readonly types?: readonly Range[];
    /** Begin of the stream; `live` by default. */
    readonly start?: Start;
    /** Treatment of this subscriber when it is slow; the relay's choice by default. */
    readonly policy?: Policy;
    /**
     * Time from one sending to the next, 10 to 3,600,000: each has of every type that has changed the newest message,
     * and a `gap` with `GapReason.superseded` for those that were passed over. The first one comes at once. By default
     * each message comes when it is there.
     *
     * An interval asks for the policy `latest`, and goes with no other one. The relay needs its option `--state`. It
     * may grant a longer interval, and an older relay grants none: `connected` tells.
     */
    readonly intervalMs?: number;
    /** Only messages that have reached this level; `stream` by default. */
    readonly level?: Level;
    /** Bytes of items that wait for the user before nothing more is read; 256 KiB by default. */
    readonly buffer?: number;
}

/** Options of a publisher. */
export interface PublisherOptions extends ConnectionOptions {
    /** Messages are numbered under `name`, kept until they are acknowledged, and sent again after a cut. */
    readonly acks?: boolean;
    /** The level at which a message counts as acknowledged; `stream` by default. */
    readonly level?: Level;
    /** The 16 random bytes by which the relay recognises this publisher; by default drawn anew. */
    readonly producer?: Uint8Array;
    /** File that keeps them, as 32 hex digits; made if it is not there. */
    readonly producerFile?: string;
    /** Number of the first message; 0, the default: the relay's accepted + 1. */
    readonly firstNumber?: bigint;
    /** Epoch of `firstNumber`; 0, the default: any. */
    readonly epoch?: bigint;
    /** Bytes of messages that are not settled yet, headers included; 1 MiB + 8 by default. */
    readonly buffer?: number;
    /** Longest time in which close waits for messages to be acknowledged, or without ACKS confirmed; 5,000 by default. */
    readonly closeTimeoutMs?: number;
    /** Gets a number and its sequence (0: not known): this message and all before it are acknowledged. */
    readonly onAck?: (number: bigint, sequence: bigint) => void;
}

/** Address of a relay. */
export interface Endpoint {
    readonly host: string;
    readonly port: number;
    /** Path of a Unix socket; empty: TCP. */
    readonly path: string;
    readonly text: string;
}

/** Options with every default, checked. */
export interface ConnectionSettings {
    readonly endpoints: readonly Endpoint[];
    readonly plain: boolean;
    readonly name: string;
    readonly token: string | (() => string | Promise<string>) | undefined;
    readonly tokenFile: string | undefined;
    readonly heartbeatMs: number;
    readonly connectTimeoutMs: number;
    readonly handshakeTimeoutMs: number;
    readonly maxBody: number;
    readonly reconnect: Required<Reconnect>;
    readonly tls: Tls | undefined;
    readonly onEvent: (event: Event) => void;
}

export interface SubscriberSettings extends ConnectionSettings {
    readonly types: readonly Range[];
    readonly start: Start;
    readonly policy: Policy;
    /** 0: none. */
    readonly intervalMs: number;
    readonly level: Level;
    readonly buffer: number;
}

export interface PublisherSettings extends ConnectionSettings {
    readonly acks: boolean;
    readonly level: Level;
    readonly producer: Uint8Array | undefined;
    readonly firstNumber: bigint;
    readonly epoch: bigint;
    readonly buffer: number;
    readonly closeTimeoutMs: number;
    readonly onAck: (number: bigint, sequence: bigint) => void;
}

function checkWithin(what: string, value: number, low: number, high: number): void {
    if (!(Number.isInteger(value) && value >= low && value <= high)) {
        throw new UsageError(`${what} ${value} is no whole number within ${low}..${high}`);
    }
}

function checkBig(what: string, value: bigint, low: bigint): void {
    if (typeof value !== "bigint" || value < low || value > wire.MAX_NUMBER) {
        throw new UsageError(`${what} ${value} is no bigint within ${low}..${wire.MAX_NUMBER}`);
    }
}

// Node.js turns longer timers into ones of 1 ms.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function checkTimer(what: string, ms: number): void {
    if (!(ms > 0 && ms <= LONGEST_TIMER_MS)) {
        throw new UsageError(`${what} of ${ms} ms is not above 0 and up to ${LONGEST_TIMER_MS}`);
    }
}

function checkOneOf(what: string, value: string, known: readonly string[]): void {
    if (!known.includes(value)) {
        throw new UsageError(`${what} ${JSON.stringify(value)} is none of ${known.join(", ")}`);
    }
}

function checkString(what: string, text: string, least: number): void {
    if (typeof text !== "string" || /\p{Cs}/u.test(text)) {
        throw new UsageError(`${what} is no valid Unicode`);
    }
    const length = Buffer.byteLength(text);
    if (length < least || length > wire.MAX_NAME) {
        throw new UsageError(`${what} of ${length} bytes is not within ${least}..${wire.MAX_NAME} bytes`);
    }
    if (wire.hasControlCharacter(text)) {
        throw new UsageError(`${what} holds a control character`);
    }
}

/** Ranges of types that a subscriber may ask for, copied. */
export function checkedTypes(types: readonly Range[]): readonly Range[] {
    if (types.length > wire.MAX_RANGES) {
        throw new UsageError(`${types.length} ranges of types are over the limit of ${wire.MAX_RANGES}`);
    }
    return types.map(([from, to]): Range => {
        checkWithin("type", from, wire.LAST_RESERVED + 1, wire.MAX_TYPE);
        checkWithin("type", to, from, wire.MAX_TYPE);
        return [from, to];
    });
}

export function parseEndpoint(text: string): Endpoint {
    if (text.startsWith("unix:") && text.length > 5) {
        return { host: "", port: 0, path: text.slice(5), text };
    }
    const [, bracketed, bare, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text) ?? [];
    const host = bracketed ?? bare;
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
        throw new UsageError(`endpoint ${JSON.stringify(text)} is none of host:port, [ipv6]:port, unix:path`);
    }
    return { host, port: Number(port), path: "", text };
}

function reconnectSettings(given: Reconnect): Required<Reconnect> {
    const { rounds = Infinity, firstMs = 100, longestMs = 10_000, jitter = 0.5 } = given;
    if (rounds !== Infinity) {
        checkWithin("rounds", rounds, 0, Number.MAX_SAFE_INTEGER);
    }
    checkTimer("first wait", firstMs);
    checkTimer("longest wait", longestMs);
    if (longestMs < firstMs) {
        throw new UsageError(`longest wait of ${longestMs} ms is under the first of ${firstMs} ms`);
    }
    if (!(jitter >= 0 && jitter <= 1)) {
        throw new UsageError(`jitter ${jitter} is not within 0..1`);
    }
    return { rounds, firstMs, longestMs, jitter };
}

export function checkToken(token: string): void {
    checkString("token", token, 1);
}

/** Files that cannot be read now are a mistake of the caller. */
function checkFiles(tokenFile: string | undefined, tls: Tls | undefined): void {
    if (tls !== undefined && (tls.certificate === undefined) !== (tls.key === undefined)) {
        throw new UsageError("a certificate needs its key, and a key its certificate");
    }
    try {
        if (tokenFile !== undefined) {
            tokenIn(tokenFile);
        }
        if (tls !== undefined) {
            secureContext(tls);
        }
    } catch (e) {
        throw new UsageError(messageOf(e));
    }
}

/** An exception in words. */
export function messageOf(e: unknown): string {
    return e instanceof Error ? e.message : String(e);
}

function connectionSettings(options: ConnectionOptions): ConnectionSettings {
    const { endpoints, plain = false, name = "", token, tokenFile, heartbeatMs, maxBody = 1 << 20, tls } = options;
    const { connectTimeoutMs = 5_000, handshakeTimeoutMs = 5_000 } = options;
    const parsed = (typeof endpoints === "string" ? [endpoints] : endpoints).map(parseEndpoint);
    if (parsed.length === 0) {
        throw new UsageError("no endpoint");
    }
    if (tls !== undefined && parsed.some((one) => one.path !== "")) {
        throw new UsageError("TLS does not go with a Unix socket");
    }
    if (token !== undefined && tokenFile !== undefined) {
        throw new UsageError("both a token and a file for it");
    }
    if (plain && (name !== "" || token !== undefined || tokenFile !== undefined || heartbeatMs !== undefined)) {
        throw new UsageError("the plain mode knows no name, token or heartbeat");
    }
    checkString("name", name, 0);
    if (token !== undefined && typeof token !== "function") {
        checkToken(token);
    }
    if (heartbeatMs !== undefined) {
        checkWithin("heartbeat in ms", heartbeatMs, 100, 3_600_000);
    }
    checkTimer("connect time-out", connectTimeoutMs);
    checkTimer("handshake time-out", handshakeTimeoutMs);
    checkWithin("max body", maxBody, 0, wire.MAX_BODY);
    checkFiles(tokenFile, tls);
    return {
        endpoints: parsed,
        plain,
        name,
        token,
        tokenFile,
        heartbeatMs: heartbeatMs ?? 0,
        connectTimeoutMs,
        handshakeTimeoutMs,
        maxBody,
        reconnect: reconnectSettings(options.reconnect ?? {}),
        tls,
        onEvent: options.onEvent ?? tellFirstSlip(),
    };
}

export function subscriberSettings(options: SubscriberOptions): SubscriberSettings {
    const connection = connectionSettings(options);
    const { start = "live", policy = "default", intervalMs, level = "stream", buffer = 256 << 10 } = options;
    const types = checkedTypes(options.types ?? []);
    checkOneOf("policy", policy, wire.POLICIES);
    checkOneOf("level", level, wire.LEVEL_NAMES);
    checkWithin("buffer", buffer, 1, 1 << 30);
    if (typeof start === "string") {
        checkOneOf("start", start, ["live", "earliest", "state"]);
    } else if ("time" in start) {
        checkWithin("time in ms", start.time.getTime(), 1, Number.MAX_SAFE_INTEGER);
    } else {
        checkBig("sequence", "state" in start ? start.state : start.sequence, "state" in start ? 0n : 1n);
        checkBig("epoch", start.epoch ?? 0n, -wire.MAX_NUMBER - 1n);
    }
    const asksHow = policy !== "default" || intervalMs !== undefined || level !== "stream";
    if (connection.plain && (types.length > 0 || start !== "live" || asksHow)) {
        throw new UsageError("the plain mode knows no types, start, policy, interval or level");
    }
    if (intervalMs === undefined) {
        return { ...connection, types, start, policy, intervalMs: 0, level, buffer };
    }
    checkWithin("interval in ms", intervalMs, wire.MIN_INTERVAL_MS, wire.MAX_INTERVAL_MS);
    if (policy !== "default" && policy !== "latest") {
        throw new UsageError(`an interval of ${intervalMs} ms needs the policy latest, not ${policy}`);
    }
    return { ...connection, types, start, policy: "latest", intervalMs, level, buffer };
}

export function publisherSettings(options: PublisherOptions): PublisherSettings {
    const connection = connectionSettings(options);
    const { acks = false, level = "stream", firstNumber = 0n, epoch = 0n } = options;
    const { closeTimeoutMs = 5_000, producer, producerFile } = options;
    const longest = connection.maxBody + wire.HEADER;
    const { buffer = Math.max((1 << 20) + wire.HEADER, longest) } = options;
    checkOneOf("level", level, wire.LEVEL_NAMES);
    checkBig("first number", firstNumber, 0n);
    checkBig("epoch", epoch, -wire.MAX_NUMBER - 1n);
    checkTimer("close time-out", closeTimeoutMs);
    checkWithin("buffer", buffer, longest, 1 << 30);
    const chosen = producer !== undefined || producerFile !== undefined || firstNumber !== 0n || epoch !== 0n;
    if (!acks && (chosen || level !== "stream")) {
        throw new UsageError("producer id, first number, epoch and level need ACKS");
    }
    if (acks && connection.plain) {
        throw new UsageError("the plain mode knows no ACKS");
    }
    if (acks && connection.name === "") {
        throw new UsageError("ACKS need a name");
    }
    return {
        ...connection,
        acks,
        level,
        producer: acks ? producerId(producer, producerFile) : undefined,
        firstNumber,
        epoch,
        buffer,
        closeTimeoutMs,
        onAck: options.onAck ?? (() => undefined),
    };
}

function producerId(given: Uint8Array | undefined, file: string | undefined): Uint8Array {
    if (given !== undefined && file !== undefined) {
        throw new UsageError("both a producer id and a file for it");
    }
    const id = file === undefined ? Uint8Array.from(given ?? randomBytes(16)) : keptId(file);
    if (id.length !== 16 || id.every((byte) => byte === 0)) {
        throw new UsageError(`a producer id of ${id.length} bytes; it has 16, not all of them 0`);
    }
    return id;
}

/** The id in the file, which is written first if it is not there: whole or not at all. */
function keptId(path: string): Uint8Array {
    let content: string;
    try {
        if (!fs.existsSync(path)) {
            writeId(path);
        }
        content = readStart(path);
    } catch (e) {
        throw new UsageError(`producer id in ${path}: ${messageOf(e)}`);
    }
    const [, digits] = /^([0-9a-fA-F]{32})[\r\n]*$/.exec(content) ?? [];
    if (digits === undefined) {
        throw new UsageError(`producer id in ${path}: not 32 hex digits`);
    }
    return Buffer.from(digits, "hex");
}

function writeId(path: string): void {
    const draft = `${path}.${randomBytes(8).toString("hex")}`;
    const file = fs.openSync(draft, "wx", 0o600);
    try {
        fs.writeSync(file, `${randomBytes(16).toString("hex")}\n`);
        fs.fsyncSync(file);
        fs.linkSync(draft, path);
    } catch (e) {
        // Another process was faster, and its id counts.
        if (!(e instanceof Error && "code" in e && e.code === "EEXIST")) {
            throw e;
        }
    } finally {
        fs.closeSync(file);
        fs.unlinkSync(draft);
    }
}

function readStart(path: string): string {
    const file = fs.openSync(path, "r");
    try {
        const start = Buffer.alloc(64);
        return start.toString("latin1", 0, fs.readSync(file, start));
    } finally {
        fs.closeSync(file);
    }
}

function features(level: Level, token: string | undefined): number {
    return wire.PEER | (level === "stream" ? 0 : wire.LEVELS) | (token === undefined ? 0 : wire.TOKEN);
}

/** Whether the subscriber wants the state. */
export function wantsState({ start }: Pick<SubscriberSettings, "start">): boolean {
    return start === "state" || (typeof start === "object" && "state" in start);
}

/** HELLO of a subscriber; `next` is the sequence to go on with, 0: the start of the options, or the whole state. */
export function subscriberHello(
    settings: SubscriberSettings,
    types: readonly Range[],
    epoch: bigint,
    next: bigint,
    token: string | undefined,
): Buffer {
    let [start, number] = [wire.LIVE, next];
    if (wantsState(settings)) {
        start = wire.STATE;
    } else if (next !== 0n) {
        start = wire.FROM_SEQUENCE;
    } else if (settings.start === "earliest") {
        start = wire.EARLIEST;
    } else if (typeof settings.start === "object" && "time" in settings.start) {
        [start, number] = [wire.FROM_TIME, BigInt(settings.start.time.getTime())];
    }
    const interval = settings.intervalMs === 0 ? 0 : wire.INTERVAL;
    return wire.hello({
        role: wire.SUBSCRIBER,
        policy: wire.POLICIES.indexOf(settings.policy),
        start,
        features: wire.SEQUENCES | wire.NARROWED | wire.EPOCHS | interval | features(settings.level, token),
        heartbeatMs: settings.heartbeatMs,
        epoch,
        number,
        ranges: types,
        name: settings.name,
        token: token ?? "",
        level: wire.LEVEL_NAMES.indexOf(settings.level),
        intervalMs: settings.intervalMs,
    });
}

/** HELLO of a publisher; `number` is that of the first message over this connection. */
export function publisherHello(
    settings: PublisherSettings,
    epoch: bigint,
    number: bigint,
    token: string | undefined,
): Buffer {
    return wire.hello({
        role: wire.PUBLISHER,
        features: (settings.acks ? wire.ACKS | wire.EPOCHS : 0) | features(settings.level, token),
        heartbeatMs: settings.heartbeatMs,
        epoch,
        number,
        name: settings.name,
        producer: settings.producer,
        token: token ?? "",
        level: wire.LEVEL_NAMES.indexOf(settings.level),
    });
}

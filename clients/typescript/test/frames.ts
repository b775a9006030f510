/** Frames of a relay, for tests. */
import * as wire from "../src/wire.js";

function fixed(size: number, fill: (body: Buffer) => void): Buffer {
    const body = Buffer.alloc(size);
    fill(body);
    return body;
}

export interface WelcomeFields {
    readonly next?: bigint;
    readonly epoch?: bigint;
    readonly accepted?: bigint;
    readonly features?: number;
    readonly flags?: number;
    readonly fork?: bigint;
    readonly maxBody?: number;
    readonly idleMs?: number;
    readonly heartbeatMs?: number;
    /** Epoch and first sequence of each; given: EPOCHS is granted. */
    readonly lives?: readonly (readonly [bigint, bigint])[];
    /** Given: INTERVAL is granted. */
    readonly intervalMs?: number;
    /** Address and identity; given: PEER is granted. */
    readonly peer?: readonly [string, string];
}

export function welcome(fields: WelcomeFields = {}): Buffer {
    const lives = fields.lives ?? [];
    const features =
        (fields.features ?? wire.SEQUENCES | wire.ACKS) |
        (fields.lives === undefined ? 0 : wire.EPOCHS) |
        (fields.intervalMs === undefined ? 0 : wire.INTERVAL) |
        (fields.peer === undefined ? 0 : wire.PEER);
    const start = fixed(fields.lives === undefined ? 58 : 62 + 16 * lives.length, (body) => {
        body.writeUInt16BE(1, 0);
        body.writeUInt8(1, 2);
        body.writeUInt8(fields.flags ?? 0, 3);
        body.writeUInt32BE(features, 4);
        body.writeBigInt64BE(fields.epoch ?? 7n, 8);
        body.writeBigInt64BE(fields.next ?? 1n, 16);
        body.writeBigInt64BE(fields.accepted ?? 0n, 24);
        body.writeInt32BE(fields.maxBody ?? 1 << 20, 32);
        body.writeInt32BE(fields.heartbeatMs ?? 60_000, 36);
        body.writeInt32BE(fields.idleMs ?? 60_000, 40);
        body.writeUInt16BE(9, 44);
        body.writeBigInt64BE(fields.fork ?? 0n, 50);
        if (fields.lives !== undefined) {
            body.writeUInt16BE(lives.length, 58);
            numbers(...lives.flat()).copy(body, 62);
        }
    });
    const { intervalMs, peer = [] } = fields;
    const interval = intervalMs === undefined ? [] : [fixed(4, (body) => body.writeUInt32BE(intervalMs))];
    return wire.frame(wire.WELCOME, Buffer.concat([start, ...interval, ...peer.map(string)]));
}

function string(text: string): Buffer {
    return Buffer.concat([Buffer.of(0, text.length), Buffer.from(text)]);
}

export function message(text: string, type = 1): Buffer {
    return wire.frame(type, Buffer.from(text));
}

export function ping(id: bigint, next: bigint, head: bigint): Buffer {
    return wire.frame(wire.PING, numbers(id, next, head));
}

export function gap(from: bigint, to: bigint, reason = 1): Buffer {
    return wire.frame(
        wire.GAP,
        fixed(24, (body) => {
            numbers(from, to).copy(body);
            body.writeUInt16BE(reason, 16);
        }),
    );
}

export function sequence(next: bigint): Buffer {
    return wire.frame(wire.SEQUENCE, numbers(next));
}

export function ack(number: bigint, sequence = 1n): Buffer {
    return wire.frame(wire.ACK, numbers(number, sequence));
}

export function subscribed(request: number, sequence: bigint): Buffer {
    return wire.frame(
        wire.SUBSCRIBED,
        fixed(16, (body) => {
            body.writeInt32BE(request, 0);
            body.writeBigInt64BE(sequence, 8);
        }),
    );
}

export function goaway(code: number, closesInMs: number, text: string): Buffer {
    const body = fixed(8, (start) => {
        start.writeUInt16BE(code, 0);
        start.writeInt32BE(closesInMs, 4);
    });
    return wire.frame(wire.GOAWAY, Buffer.concat([body, Buffer.from(text)]));
}

export function numbers(...values: bigint[]): Buffer {
    return fixed(8 * values.length, (body) => values.forEach((value, i) => body.writeBigInt64BE(value, 8 * i)));
}

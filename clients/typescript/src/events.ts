/**
 * Reports of a client: the items of a subscriber's stream, and events of connections.
 *
 * @module
 */
import { inspect } from "node:util";

import type { ConnectionFailed, RelayError } from "./errors.js";

/** Reasons of a {@link Gap}. Later relays may have others. */
export const GapReason = {
    /** This client found the gap; the relay gave no reason. */
    unexplained: 0,
    /** The subscriber was too slow. */
    slow: 1,
    /** The relay does not hold these messages any more. */
    notHeld: 2,
    /** The journal is damaged there. */
    damaged: 3,
    /** No loss: newer messages of the same types come in their place. */
    superseded: 4,
} as const;

/** A message of the stream. */
export class Message {
    /** Signed 32 bits; Relay gives it no meaning. */
    readonly type: number;
    /** Length of the body in bytes. */
    readonly length: number;
    private readonly _chunk: Buffer;
    private readonly _start: number;
    private readonly _base: bigint;
    private readonly _index: number;

    /**
     * A view of what was read; sequence and body are made when they are asked for.
     *
     * @internal
     */
    constructor(type: number, chunk: Buffer, start: number, length: number, base: bigint, index: number) {
        this.type = type;
        this.length = length;
        this._chunk = chunk;
        this._start = start;
        this._base = base;
        this._index = index;
    }

    /** Tells items apart. */
    // A field would be one more word for each message.
    // eslint-disable-next-line @typescript-eslint/class-literal-property-style
    get kind(): "message" {
        return "message";
    }

    /** Number in the stream, from 1; 0: not known (a plain subscriber; types without SEQUENCES). */
    get sequence(): bigint {
        return this._base + BigInt(this._index);
    }

    /** The bytes, as a view of the read buffer, which it keeps from being freed: copy what is kept for long. */
    get body(): Buffer {
        return this._chunk.subarray(this._start, this._start + this.length);
    }

    /** @internal */
    [inspect.custom](): object {
        return { kind: this.kind, sequence: this.sequence, type: this.type, body: this.body };
    }
}

/** The messages `from` to `to`, both included, are missed. */
export interface Gap {
    readonly kind: "gap";
    readonly from: bigint;
    readonly to: bigint;
    /** One of {@link GapReason}, or a later one. */
    readonly reason: number;
}

/**
 * The relay has another stream. To a subscriber all of the former one from `lostFrom` on is lost; to a publisher
 * (`lostFrom` 0) what was acknowledged is gone.
 */
export interface StreamChanged {
    readonly kind: "streamChanged";
    readonly lostFrom: bigint;
}

/** `from` to `to` are gone: sequences that a subscriber had, or numbers that a publisher had acknowledged. */
export interface RolledBack {
    readonly kind: "rolledBack";
    readonly from: bigint;
    readonly to: bigint;
}

/** A plain subscriber is connected again, and has missed an unknown number of messages. */
export interface Missed {
    readonly kind: "missed";
}

/**
 * With start = state: the state comes, up to {@link StateComplete}; once for each connection. With `anew` all that came
 * before is void, so a view is to be cleared; otherwise it goes on from what has come.
 */
export interface StateBegins {
    readonly kind: "stateBegins";
    readonly anew: boolean;
}

/** The newest message of each type up to `next` - 1 has come. The stream follows, from `next` on. */
export interface StateComplete {
    readonly kind: "stateComplete";
    readonly next: bigint;
}

/** Part of a subscriber's stream beside messages, in its order. */
export type Notice = Gap | StreamChanged | RolledBack | Missed | StateBegins | StateComplete;

/** Part of a subscriber's stream, in its order. */
export type Item = Message | Notice;

/** A connection is made and, unless plain, welcomed. Fields of WELCOME are 0 or empty when plain. */
export interface Connected {
    readonly kind: "connected";
    readonly endpoint: string;
    readonly plain: boolean;
    readonly epoch: bigint;
    readonly next: bigint;
    readonly accepted: bigint;
    readonly policy: string;
    readonly server: string;
    /** This end's address, such as `192.0.2.7:40001` or `unix`, as the relay sees it; absent: an older relay. */
    readonly address?: string;
    /** The name of this end's identity in the relay's access rules; empty: it has none. */
    readonly identity?: string;
    /** With start = state: that of {@link StateBegins}. */
    readonly anew?: boolean;
    /** The interval that the relay has granted; absent: none, each message comes when it is there. */
    readonly intervalMs?: number;
}

/** A try failed, or a connection was lost. The next try comes in `retryInMs`. */
export interface Lost {
    readonly kind: "lost";
    readonly endpoint: string;
    readonly error: ConnectionFailed;
    readonly retryInMs: number;
}

/** The relay will close the connection in `closesInMs`. */
export interface GoingAway {
    readonly kind: "goingAway";
    readonly endpoint: string;
    readonly code: number;
    readonly text: string;
    readonly closesInMs: number;
}

/**
 * `messages` messages were sent over a connection that is lost, and the relay has not confirmed them: they may be lost.
 * Plain: all that were sent over it.
 */
export interface InDoubt {
    readonly kind: "inDoubt";
    readonly messages: number;
}

/** The state is not complete after 10 s: its types change faster than this end takes them. Told once a connection. */
export interface StateLate {
    readonly kind: "stateLate";
    readonly endpoint: string;
    readonly seconds: number;
}

/**
 * The client's own certificate ends soon: told once at each of 30, 7 and 1 days, and when it has ended. `days` are
 * those that are begun; 0 or less: it has ended.
 */
export interface Certificate {
    readonly kind: "certificate";
    readonly days: number;
}

/** The client has ended for good. */
export interface GaveUp {
    readonly kind: "gaveUp";
    readonly error: RelayError;
}

/** An event for `onEvent`, when it happens on the wire. */
export type Event = Connected | Lost | GoingAway | Notice | InDoubt | StateLate | Certificate | GaveUp;

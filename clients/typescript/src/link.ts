/** One connection's input, without a socket: frames, WELCOME before all else, PING and its answer. */
import * as errors from "./errors.js";
import { BrokenRule, ConnectionFailed } from "./errors.js";
import { type Connected, type Event, type Item, Message } from "./events.js";
import * as wire from "./wire.js";
import type { Welcome } from "./wire.js";

/** Least room for the part of a frame that has come. */
const SMALLEST_REST = 4_096;

export function unexpected(type: number, when: string): BrokenRule {
    return new BrokenRule(errors.PROTOCOL_ORDER, `${wire.name(type)} from the relay ${when}`);
}

export function connected(endpoint: string, welcome?: Welcome, anew?: boolean): Connected {
    return {
        kind: "connected",
        endpoint,
        plain: welcome === undefined,
        epoch: welcome?.epoch ?? 0n,
        next: welcome?.next ?? 0n,
        accepted: welcome?.accepted ?? 0n,
        policy: welcome?.policy ?? "",
        server: welcome?.server ?? "",
        ...welcome?.peer,
        ...(anew !== undefined && { anew }),
        ...(welcome?.intervalMs !== undefined && { intervalMs: welcome.intervalMs }),
    };
}

/** The frames that mean something else to subscriber and publisher. An exception ends the connection. */
export interface Handler {
    onWelcome(welcome: Welcome): void;
    onPing(next: bigint, head: bigint): void;
    onPong(id: bigint): void;
    onControl(type: number, body: Buffer): void;
}

/** Messages before WELCOME, on the subscribe port, on the publish port. */
export type Messages = "discarded" | "kept" | "refused";

export class Link {
    readonly endpoint: string;
    readonly plain: boolean;
    /** The relay has welcomed this client; a plain one needs no welcome. */
    open: boolean;
    /** Input behind WELCOME that shows that the connection works. */
    progressed = false;
    /** Longest silence of the relay; what WELCOME says. */
    idleTimeoutMs = Infinity;
    /** Interval of PINGs, if there is a reason for them; what WELCOME says. */
    heartbeatMs = Infinity;
    /** Code of GOAWAY; 0: none has come. */
    goingAway = 0;
    /** The connection is given up for another one with another HELLO. */
    isAskedAgain = false;
    /** Time of RETRY_AFTER; undefined: none has come. */
    retryAfterMs: number | undefined;
    /** What HELLO asks for and an older relay calls malformed; undefined: nothing. */
    newest: string | undefined;
    messages: Messages = "discarded";
    /** Number of the next message, and what a message adds to it: 0 while single messages have no numbers. */
    next = 0n;
    step: 0 | 1 = 0;
    // Counts and items of the time since the last call of `drain`.
    items: Item[] = [];
    #messagesKept = 0;
    #bytesKept = 0;
    #retained = 0;

    readonly #handler: Handler;
    readonly #emit: (event: Event) => void;
    readonly #maxBody: number;
    /** The part of a frame that has come, `#restLength` bytes of it; and what is needed to go on. */
    #rest: Buffer | undefined;
    #restLength = 0;
    #needed = wire.HEADER;
    #ping: bigint | undefined;

    constructor(
        endpoint: string,
        handler: Handler,
        settings: { readonly plain: boolean; readonly maxBody: number; readonly onEvent: (event: Event) => void },
    ) {
        this.endpoint = endpoint;
        this.plain = settings.plain;
        this.open = settings.plain;
        this.#handler = handler;
        this.#emit = settings.onEvent;
        this.#maxBody = settings.maxBody;
    }

    get isWithinFrame(): boolean {
        return this.#restLength > 0;
    }

    /**
     * The items that came since the last call, and of the messages among them the number, the bytes, and the bytes of
     * the read buffers that they keep.
     */
    drain(): { items: Item[]; messages: number; bytes: number; retained: number } {
        const drained = {
            items: this.items,
            messages: this.#messagesKept,
            bytes: this.#bytesKept,
            retained: this.#retained,
        };
        this.items = [];
        this.#messagesKept = this.#bytesKept = this.#retained = 0;
        return drained;
    }

    /** The answer to what was received. Of several PINGs the last is answered. */
    output(): Buffer | undefined {
        const id = this.#ping;
        this.#ping = undefined;
        return id === undefined ? undefined : wire.pong(id);
    }

    /** Takes bytes as they come, and keeps them; throws at the connection's last frame or at a broken rule. */
    receive(data: Buffer): void {
        let at = 0;
        while (this.#restLength > 0) {
            const taken = Math.min(this.#needed - this.#restLength, data.length - at);
            this.#append(data, at, at + taken);
            at += taken;
            if (this.#restLength < this.#needed) {
                return;
            }
            // The frame is whole, or its header, which tells what else is needed.
            const rest = this.#rest!;
            if (this.#frames(rest, 0, this.#restLength) > 0) {
                this.#rest = undefined;
                this.#restLength = 0;
            }
        }
        const end = this.#frames(data, at, data.length);
        this.#append(data, end, data.length);
    }

    /** Room grows with what has come, not with the length that a header announces. */
    #append(data: Buffer, from: number, to: number): void {
        const length = this.#restLength + to - from;
        if (length === 0) {
            return;
        }
        if (this.#rest === undefined || length > this.#rest.length) {
            const room = Math.max(length, Math.min(this.#needed, Math.max(2 * length, SMALLEST_REST)));
            const larger = Buffer.allocUnsafeSlow(room);
            this.#rest?.copy(larger, 0, 0, this.#restLength);
            this.#rest = larger;
        }
        data.copy(this.#rest, this.#restLength, from, to);
        this.#restLength = length;
    }

    /** Takes the whole frames of `data`, and returns where they end. */
    #frames(data: Buffer, from: number, end: number): number {
        const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
        const maxBody = this.#maxBody;
        let at = from;
        let { next, step, items, messages } = this;
        let kept = 0;
        let bytes = 0;
        let retains = false;
        try {
            while (end - at >= wire.HEADER) {
                const type = view.getInt32(at);
                const length = view.getInt32(at + 4);
                const stop = at + wire.HEADER + length;
                const isMessage = type > wire.LAST_RESERVED;
                if (length < 0 || length > (isMessage ? maxBody : wire.MAX_CONTROL)) {
                    throw this.#badLength(type, length);
                }
                if (stop > end) {
                    this.#needed = stop - at;
                    return at;
                }
                if (!isMessage) {
                    this.#count(next, step, kept, bytes);
                    retains ||= kept > 0;
                    kept = bytes = 0;
                    this.#control(type, data.subarray(at + wire.HEADER, stop));
                    ({ next, step, items, messages } = this);
                } else if (messages === "kept") {
                    items.push(new Message(type, data, at + wire.HEADER, length, next, kept * step));
                    kept++;
                    bytes += wire.HEADER + length;
                } else if (messages === "refused") {
                    throw new BrokenRule(
                        errors.PROTOCOL_ORDER,
                        `a message of type ${type} from the relay on the publish port`,
                    );
                }
                at = stop;
            }
            this.#needed = wire.HEADER;
            return at;
        } finally {
            this.#count(next, step, kept, bytes);
            if (retains || kept > 0) {
                this.#retained += data.length;
            }
        }
    }

    #count(next: bigint, step: number, kept: number, bytes: number): void {
        if (kept > 0) {
            this.next = next + BigInt(kept * step);
            this.#messagesKept += kept;
            this.#bytesKept += bytes;
        }
    }

    #badLength(type: number, length: number): BrokenRule {
        if (length < 0) {
            return new BrokenRule(errors.NEGATIVE_LENGTH, `a frame announces a body of ${length} bytes`);
        }
        const [what, limit] =
            type <= wire.LAST_RESERVED
                ? [wire.name(type), wire.MAX_CONTROL]
                : [`a message of type ${type}`, this.#maxBody];
        return new BrokenRule(errors.OVERSIZED_LENGTH, `${what} announces ${length} bytes, the limit is ${limit}`);
    }

    #control(type: number, body: Buffer): void {
        if (type === wire.ERROR) {
            const { code, text } = wire.decodeError(body);
            const isOlder = !this.open && code === errors.MALFORMED_CONTROL && this.newest !== undefined;
            throw errors.fromRelay(code, text, isOlder ? `this relay is older than ${this.newest}` : undefined);
        }
        if (type === wire.RETRY_AFTER) {
            this.retryAfterMs = wire.decodeRetryAfter(body);
            return;
        }
        if (type >= wire.MUST_UNDERSTAND) {
            throw new BrokenRule(errors.UNSUPPORTED, `${wire.name(type)} is not known here`);
        }
        if (this.plain || type < wire.HELLO || type > wire.SUBSCRIBED) {
            return;
        }
        if (type === wire.HELLO || type === wire.SUBSCRIBE) {
            throw unexpected(type, "is for clients to send");
        }
        if (type === wire.WELCOME) {
            this.#welcome(body);
        } else if (!this.open) {
            throw unexpected(type, "before WELCOME");
        } else if (type === wire.PING) {
            const { id, next, head } = wire.decodePing(body);
            this.progressed = true;
            this.#handler.onPing(next, head);
            this.#ping = id;
        } else if (type === wire.PONG) {
            this.#handler.onPong(wire.decodePong(body));
        } else if (type === wire.GOAWAY) {
            const { code, closesInMs, text } = wire.decodeGoaway(body);
            this.goingAway = code;
            this.#emit({ kind: "goingAway", endpoint: this.endpoint, code, text: errors.printable(text), closesInMs });
        } else {
            this.#handler.onControl(type, body);
        }
    }

    #welcome(body: Buffer): void {
        if (this.open) {
            throw unexpected(wire.WELCOME, "for the second time");
        }
        const welcome = wire.decodeWelcome(body);
        if (welcome.version !== 1) {
            throw new BrokenRule(errors.UNSUPPORTED, `WELCOME chooses version ${welcome.version}, only 1 was offered`);
        }
        this.open = true;
        this.idleTimeoutMs = welcome.idleMs;
        this.heartbeatMs = welcome.heartbeatMs;
        this.#handler.onWelcome(welcome);
    }

    /** The relay's journal, or its lack of one, makes the level that the options need impossible. */
    checkLevel(level: string, welcome: Welcome): void {
        if (level !== "stream" && (welcome.features & wire.LEVELS) === 0) {
            throw new ConnectionFailed(
                `the relay at ${this.endpoint} keeps no journal: level ${level} is not possible`,
                errors.STOP,
            );
        }
    }
}

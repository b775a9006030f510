/** A subscriber without a socket: numbers, gaps, types. One object lives over all connections of its client. */
import * as errors from "./errors.js";
import { BrokenRule, type RelayError, UsageError } from "./errors.js";
import { GapReason, type Item, type Notice } from "./events.js";
import { connected, Link, unexpected } from "./link.js";
import { AskedAgain, type Common, inCommon } from "./lives.js";
import { checkedTypes, subscriberHello, type SubscriberSettings, wantsState } from "./options.js";
import * as wire from "./wire.js";
import type { Range, Welcome } from "./wire.js";

/** No stream gets to this number, and a number behind it would soon be negative. */
const FARTHEST = 1n << 62n;
/** Bytes that an item counts beside its frame. */
const ITEM_SIZE = 96;
/** Changes of types that wait for their answer. */
export const MOST_CHANGES = 64;
/** A state that is not complete by then is late. */
export const LATE_MS = 10_000;

/** Items of one read, and the place in the stream before and behind them. */
export interface Batch {
    readonly items: readonly Item[];
    /** Number of the messages among them, and their bytes, headers included. */
    readonly messages: number;
    readonly bytes: number;
    /** Bytes that the items keep from being freed. */
    readonly size: number;
    readonly epoch: bigint;
    readonly start: bigint;
    readonly next: bigint;
}

/** The answer to a change of types. */
export interface Answer {
    /** The sequence of the first message that these types choose. */
    done(sequence: bigint): void;
    failed(error: RelayError): void;
}

interface Change {
    readonly request: number;
    readonly types: readonly Range[];
    readonly answer: Answer;
}

/** Whether all types of `wanted` are among these; no ranges: every type. */
export function covers(types: readonly Range[], wanted: readonly Range[]): boolean {
    if (types.length === 0) {
        return true;
    }
    // Ranges that overlap or touch become one.
    const merged: [number, number][] = [];
    for (const [from, to] of [...types].sort((a, b) => a[0] - b[0])) {
        const last = merged.at(-1);
        if (last !== undefined && from <= last[1] + 1) {
            last[1] = Math.max(last[1], to);
        } else {
            merged.push([from, to]);
        }
    }
    const every: readonly Range[] = [[wire.LAST_RESERVED + 1, wire.MAX_TYPE]];
    return (wanted.length === 0 ? every : wanted).every(([from, to]) =>
        merged.some(([first, last]) => first <= from && to <= last),
    );
}

/**
 * The number of the next message outlives the connection: the stream is resumed there.
 *
 * The first jump of the numbers that no frame explains ends the connection, and the stream is resumed at the first
 * number in doubt. If the same jump comes again, it is reported as a gap.
 */
export class SubscriberCore {
    epoch: bigint;
    next: bigint;
    /** Newest sequence of the stream, from the last PING; 0: not known. */
    head = 0n;

    readonly #settings: SubscriberSettings;
    #link: Link;
    // The stream's newest lives as of the last WELCOME, that of `epoch` first.
    #lives: readonly wire.Life[] = [];
    #doubted = 0n;
    #filtered = false;
    #numbered = true;
    #narrowed = false;
    #mostRanges = wire.MAX_RANGES;
    #wasPlainlyConnected = false;
    #holding: readonly Range[];
    #greetedWith: readonly Range[] = [];
    #sent: Change[] = [];
    #waiting: Change[] = [];
    #requests = 0;
    #ended: RelayError | undefined;
    #startOfBatch: bigint;
    // With start = state: whether the next HELLO asks for the whole of it; whether messages were passed over, as newer
    // ones of their types come, and not all of these have come; and whether the state of this connection is not
    // complete, since when, and whether that was told.
    readonly #wantsState: boolean;
    #needsWhole = false;
    #hasPassedOver = false;
    #isIncomplete = false;
    #incompleteSince: number | undefined;
    #toldLate = false;

    constructor(settings: SubscriberSettings) {
        const { start } = settings;
        this.#settings = settings;
        this.#wantsState = wantsState(settings);
        this.epoch = this.next = 0n;
        if (typeof start === "object" && !("time" in start)) {
            const next = "state" in start ? start.state : start.sequence;
            // To number 1 the whole state comes: there is nothing before it that could be of another epoch.
            if (!this.#wantsState || next > 1n) {
                this.next = next;
                this.epoch = start.epoch ?? 0n;
            }
        }
        this.#startOfBatch = this.next;
        this.#holding = settings.types;
        this.#link = new Link("", this, settings);
    }

    /** Begins a connection: its input, and the bytes to send first. */
    connect(endpoint: string, token?: string): { link: Link; first: Buffer | undefined } {
        const link = (this.#link = new Link(endpoint, this, this.#settings));
        if (link.plain) {
            link.messages = "kept";
            this.#settings.onEvent(connected(endpoint));
            if (this.#wasPlainlyConnected) {
                this.#notice({ kind: "missed" });
            }
            this.#wasPlainlyConnected = true;
            return { link, first: undefined };
        }
        this.#sent.push(...this.#waiting);
        this.#waiting = [];
        this.#greetedWith = this.#sent.at(-1)?.types ?? this.#holding;
        this.#needsWhole ||= this.#wantsState && !covers(this.#holding, this.#greetedWith);
        const number = this.#needsWhole ? 0n : this.next;
        link.newest = this.#wantsState
            ? "start = state"
            : this.#settings.policy === "latest"
              ? "policy = latest"
              : undefined;
        return { link, first: subscriberHello(this.#settings, this.#greetedWith, this.epoch, number, token) };
    }

    /** Takes note of the time of some input, in ms: a state that is not complete for long is told. */
    heard(now: number): void {
        if (this.#incompleteSince !== undefined && now - this.#incompleteSince >= LATE_MS) {
            this.#incompleteSince = undefined;
            this.#toldLate = true;
            this.#settings.onEvent({ kind: "stateLate", endpoint: this.#link.endpoint, seconds: LATE_MS / 1000 });
        } else if (!this.#isIncomplete) {
            this.#incompleteSince = undefined;
        } else if (!this.#toldLate) {
            this.#incompleteSince ??= now;
        }
    }

    /** The items that came since the last call; undefined: none. */
    batch(): Batch | undefined {
        const link = this.#link;
        if (link.step === 1) {
            this.next = link.next;
        }
        const start = this.#startOfBatch;
        this.#startOfBatch = this.next;
        if (link.items.length === 0) {
            return undefined;
        }
        link.progressed = true;
        const { items, messages, bytes, retained } = link.drain();
        const size = retained + ITEM_SIZE * items.length;
        return { items, messages, bytes, size, epoch: this.epoch, start, next: this.next };
    }

    /** Asks for other types. */
    change(types: readonly Range[], answer: Answer): void {
        if (this.#settings.plain) {
            throw new UsageError("the plain mode knows no types");
        }
        const checked = checkedTypes(types);
        if (this.#ended !== undefined) {
            throw this.#ended;
        }
        if (this.#sent.length + this.#waiting.length >= MOST_CHANGES) {
            throw new UsageError(`${MOST_CHANGES} changes of types wait for the relay already`);
        }
        this.#requests = (this.#requests + 1) & 0x7fffffff;
        this.#waiting.push({ request: this.#requests, types: checked, answer });
    }

    /** The SUBSCRIBE frames to send now. */
    requests(): Buffer[] {
        const frames: Buffer[] = [];
        const changes = this.#waiting;
        this.#waiting = [];
        for (const change of changes) {
            const count = change.types.length;
            if (count > this.#mostRanges) {
                change.answer.failed(
                    new UsageError(`${count} ranges of types are over the relay's limit of ${this.#mostRanges}`),
                );
            } else {
                this.#sent.push(change);
                frames.push(wire.subscribe(change.request, change.types));
            }
        }
        return frames;
    }

    /** Ends all changes: no one is answered any more. */
    end(cause: RelayError): void {
        this.#ended = cause;
        const changes = [...this.#sent, ...this.#waiting];
        this.#sent = [];
        this.#waiting = [];
        for (const change of changes) {
            change.answer.failed(cause);
        }
    }

    onWelcome(welcome: Welcome): void {
        const link = this.#link;
        link.checkLevel(this.#settings.level, welcome);
        // With start = state everything comes anew over this connection: nothing is gained by an older epoch.
        if (this.epoch !== 0n && welcome.epochChanged && !welcome.rolledBack && !this.#wantsState) {
            const common = inCommon(this.#lives, welcome.lives);
            if (common !== undefined) {
                this.#goBack(common);
                link.isAskedAgain = true;
                throw new AskedAgain(`the relay at ${link.endpoint} knows no later epoch than ${this.epoch}`);
            }
        }
        if (this.#cannotGoOn(welcome)) {
            this.#needsWhole = true;
            link.isAskedAgain = true;
            throw new AskedAgain(`a walk was cut, and the relay at ${link.endpoint} began again`);
        }
        link.messages = "kept";
        this.#mostRanges = welcome.mostRanges;
        const isOther = this.epoch !== 0n && welcome.epochChanged;
        const anew = this.#wantsState && (isOther || this.#needsWhole || this.next <= 1n);
        this.#settings.onEvent(connected(link.endpoint, welcome, this.#wantsState ? anew : undefined));
        this.#narrowed = (welcome.features & wire.NARROWED) !== 0;
        this.#filtered = this.#narrowed || this.#greetedWith.length > 0;
        this.#numbered = (welcome.features & wire.SEQUENCES) !== 0;
        const at = welcome.next;
        this.#checkNotTooFar(wire.WELCOME, at);
        if (isOther) {
            const had = this.next;
            this.#notice(
                welcome.rolledBack
                    ? { kind: "rolledBack", from: welcome.fork, to: had - 1n }
                    : { kind: "streamChanged", lostFrom: had },
            );
            this.head = 0n;
        }
        if (this.#wantsState) {
            this.#notice({ kind: "stateBegins", anew });
        }
        if (anew) {
            this.next = this.#startOfBatch = 1n;
        } else if (this.next === 0n || isOther) {
            this.next = this.#startOfBatch = at;
        }
        this.epoch = welcome.epoch;
        this.#lives = welcome.lives;
        this.#checkNotBack(wire.WELCOME, at);
        if (at > this.next) {
            this.#jump(wire.WELCOME, at);
        }
        this.#at(at);
        this.#holding = this.#sent.at(-1)?.types ?? this.#holding;
        this.#needsWhole &&= !anew;
        this.#hasPassedOver &&= !anew;
        this.#isIncomplete = this.#wantsState;
        this.#incompleteSince = undefined;
        this.#toldLate = false;
        const done = this.#sent;
        this.#sent = [];
        for (const change of done) {
            change.answer.done(at);
        }
    }

    /**
     * A walk was cut, and the life in which it began has ended: a newer message for which one was passed over may be
     * gone, and the number does not tell.
     */
    #cannotGoOn({ epochChanged, epoch }: Welcome): boolean {
        return this.#hasPassedOver && !this.#needsWhole && !epochChanged && epoch !== this.epoch;
    }

    /** Goes back to an older life, whose stream is the relay's up to the number before `changed`. */
    #goBack({ rest, changed }: Common): void {
        if (this.next > changed) {
            this.#notice({ kind: "rolledBack", from: changed, to: this.next - 1n });
            this.next = this.#startOfBatch = changed;
        }
        this.epoch = rest[0].epoch;
        this.#lives = rest;
        this.head = 0n;
    }

    onPong(): void {
        // A subscriber sends no PING.
    }

    onPing(next: bigint, head: bigint): void {
        this.head = head;
        // Next 0: the PING says nothing about the stream.
        if (next !== 0n) {
            this.#leftOut(wire.PING, next);
            if (next === head + 1n) {
                this.#hasPassedOver = false;
                if (this.#isIncomplete) {
                    this.#isIncomplete = false;
                    this.#notice({ kind: "stateComplete", next });
                }
            }
        }
    }

    onControl(type: number, body: Buffer): void {
        if (type === wire.SEQUENCE) {
            this.#leftOut(type, wire.decodeSequence(body));
        } else if (type === wire.GAP) {
            const { from, to, reason } = wire.decodeGap(body);
            this.#checkNotTooFar(type, to);
            this.#leftOut(type, from);
            this.#notice({ kind: "gap", from, to, reason });
            this.#at(to + 1n);
            this.#hasPassedOver ||= this.#wantsState && reason === GapReason.superseded;
        } else if (type === wire.SUBSCRIBED) {
            const { request, sequence } = wire.decodeSubscribed(body);
            this.#subscribed(request, sequence);
        } else {
            throw unexpected(type, "on the subscribe port");
        }
    }

    #subscribed(request: number, sequence: bigint): void {
        const change = this.#sent[0];
        if (change?.request !== request) {
            throw new BrokenRule(
                errors.PROTOCOL_ORDER,
                `SUBSCRIBED answers request ${request}, the one to be answered is ${change?.request ?? "none"}`,
            );
        }
        this.#leftOut(wire.SUBSCRIBED, sequence);
        this.#sent.shift();
        this.#needsWhole ||= this.#wantsState && !covers(this.#holding, change.types);
        this.#holding = change.types;
        this.#filtered = this.#narrowed || change.types.length > 0;
        this.#at(sequence);
        change.answer.done(sequence);
    }

    #at(next: bigint): void {
        // A single message has no known number without SEQUENCES: 0.
        const counts = this.#numbered || !this.#filtered;
        this.next = next;
        this.#link.next = counts ? next : 0n;
        this.#link.step = counts ? 1 : 0;
    }

    #notice(notice: Notice): void {
        this.#link.items.push(notice);
        this.#settings.onEvent(notice);
    }

    #leftOut(type: number, at: bigint): void {
        if (this.#link.step === 1) {
            this.next = this.#link.next;
        }
        this.#checkNotBack(type, at);
        this.#checkNotTooFar(type, at);
        if (at > this.next && !this.#filtered) {
            this.#jump(type, at);
        }
        this.#at(at);
    }

    #checkNotTooFar(type: number, at: bigint): void {
        if (at > FARTHEST) {
            throw new BrokenRule(
                errors.MALFORMED_CONTROL,
                `${wire.name(type)} to ${at} is beyond ${FARTHEST}, where no stream gets`,
            );
        }
    }

    #checkNotBack(type: number, at: bigint): void {
        if (at < this.next) {
            throw new BrokenRule(
                errors.PROTOCOL_ORDER,
                `${wire.name(type)} goes back from message ${this.next} to ${at}`,
            );
        }
    }

    #jump(type: number, at: bigint): void {
        if (this.#settings.reconnect.rounds !== 0 && this.#doubted !== this.next) {
            this.#doubted = this.next;
            throw new BrokenRule(
                errors.PROTOCOL_ORDER,
                `${wire.name(type)} jumps from message ${this.next} to ${at} without a reason`,
            );
        }
        this.#doubted = 0n;
        this.#notice({ kind: "gap", from: this.next, to: at - 1n, reason: GapReason.unexplained });
    }
}

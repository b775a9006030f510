/** A publisher without a socket: messages that are not settled, their numbers and acknowledgements. */
import { randomBytes } from "node:crypto";

import * as errors from "./errors.js";
import { BrokenRule, ConnectionFailed, NotDone, type RelayError, UsageError } from "./errors.js";
import { connected, Link, unexpected } from "./link.js";
import { AskedAgain, inCommon } from "./lives.js";
import { publisherHello, type PublisherSettings } from "./options.js";
import * as wire from "./wire.js";
import type { Welcome } from "./wire.js";

/** Bytes of messages behind a PING after which the next one is sent. */
export const BYTES_A_PING = 1 << 20;

/** A call of flush or close: it waits for the messages up to `to`; `told` in doubt were told before it. */
export interface Asked {
    readonly to: number;
    readonly told: number;
}

/** Frames one behind the other in a ring of bytes. Places count on for ever; a frame may lie around the ring's end. */
class Frames {
    readonly #ring: Buffer;
    #head = 0;
    #tail = 0;

    constructor(capacity: number) {
        this.#ring = Buffer.allocUnsafeSlow(capacity);
    }

    get head(): number {
        return this.#head;
    }

    get tail(): number {
        return this.#tail;
    }

    get room(): number {
        return this.#ring.length - (this.#tail - this.#head);
    }

    add(type: number, body: Uint8Array): void {
        const at = this.#tail % this.#ring.length;
        if (at + wire.HEADER + body.length <= this.#ring.length) {
            this.#ring.writeInt32BE(type, at);
            this.#ring.writeInt32BE(body.length, at + 4);
            this.#ring.set(body, at + wire.HEADER);
        } else {
            const whole = wire.frame(type, body);
            const fits = this.#ring.length - at;
            whole.copy(this.#ring, at, 0, fits);
            whole.copy(this.#ring, 0, fits);
        }
        this.#tail += wire.HEADER + body.length;
    }

    /** Place of the frame behind the one at this place. */
    after(place: number): number {
        const ring = this.#ring;
        const at = (place + 4) % ring.length;
        if (at + 4 <= ring.length) {
            return place + wire.HEADER + ring.readInt32BE(at);
        }
        let length = 0;
        for (let i = 0; i < 4; i++) {
            length = (length << 8) | ring.readUInt8((at + i) % ring.length);
        }
        return place + wire.HEADER + length;
    }

    /** The bytes between two places, as one view or two. */
    between(from: number, to: number): Buffer[] {
        if (from === to) {
            return [];
        }
        const [start, end] = [from % this.#ring.length, to % this.#ring.length];
        if (start < end) {
            return [this.#ring.subarray(start, end)];
        }
        return end === 0 ? [this.#ring.subarray(start)] : [this.#ring.subarray(start), this.#ring.subarray(0, end)];
    }

    /** Forgets all before this place. */
    forget(place: number): void {
        this.#head = place;
    }
}

/**
 * One object lives over all connections of its client. Its memory is one ring of `buffer` bytes.
 *
 * The first frame that is kept has the number `#first`; `#sent` of them were given to this connection. A publisher
 * without ACKS keeps a frame until the socket has taken it. With HELLO it asks with PINGs what the relay has read; for
 * these it counts messages in the order of `offer`, which is the order of the wire.
 */
export class PublisherCore {
    maxBody: number;
    epoch: bigint;
    firstNumber: bigint;
    failure: RelayError | undefined;
    closing = false;
    messages = 0;
    bytes = 0;
    settled = 0;
    /** The heartbeat interval has passed since the last PING: the next one is due. */
    isIntervalOver = false;
    pingId = 0n;
    /** The id of the next PING, from the last one. Drawn, so that no relay answers a PING that it has not read; never 0. */
    nextPingId: (last: bigint) => bigint = () => randomBytes(8).readBigInt64BE() | 1n;
    /** With HELLO and without ACKS, PINGs find out what the relay has read. */
    readonly confirms: boolean;

    readonly #settings: PublisherSettings;
    readonly #frames: Frames;
    #link: Link;
    // With ACKS the stream's newest lives as of the last WELCOME, that of `epoch` first.
    #lives: readonly wire.Life[] = [];
    #first: bigint;
    #sent = 0;
    #sentPlace = 0;
    // Number of the last frame that any connection was given.
    #everSentTo: bigint;
    #settledTo = 0n;
    #toldGone = 0n;
    #wasWelcomed = false;
    // Messages of which is known what became of them, confirmed or lost; those among them that are confirmed; those
    // before the PING that is unanswered, 0: none; those that earlier connections were given.
    #known = 0;
    #confirmed = 0;
    #pinged = 0;
    #sentBefore = 0;
    #bytesBehindPing = 0;
    // Counts of messages that flushes wait for and no PING is behind, in rising order.
    #wanted: number[] = [];
    // Messages in doubt by lost connections that a flush has told; why the last connection was lost.
    #told = 0;
    #whyLost: RelayError | undefined;

    constructor(settings: PublisherSettings) {
        this.#settings = settings;
        this.confirms = !settings.acks && !settings.plain;
        this.#frames = new Frames(settings.buffer);
        this.#link = new Link("", this, settings);
        this.maxBody = settings.maxBody;
        this.epoch = settings.epoch;
        this.firstNumber = settings.firstNumber;
        this.#first = settings.firstNumber;
        this.#everSentTo = this.#first === 0n ? 0n : this.#first - 1n;
    }

    get unsettled(): number {
        return this.messages - this.settled;
    }

    /** Number of messages that the relay has read for certain; with ACKS those that are acknowledged. */
    get confirmed(): number {
        return this.#settings.acks ? this.settled : this.#confirmed;
    }

    /** Number of messages of which is not known what became of them; plain, that no socket has taken. */
    get unfinished(): number {
        return this.messages - (this.confirms ? this.#known : this.settled);
    }

    /** Messages in doubt by lost connections. */
    get #lost(): number {
        return this.#known - this.#confirmed;
    }

    /** Messages that connections were given; without ACKS. */
    get #given(): number {
        return this.settled + this.#sent;
    }

    /** Something that this connection was given waits for a PONG. */
    get isUnconfirmed(): boolean {
        return this.confirms && this.#given > this.#known;
    }

    /** Bytes that were not given to this connection. */
    get unsentBytes(): number {
        return this.#frames.tail - this.#sentPlace;
    }

    /** Throws what is wrong with a message, or with this publisher. */
    check(type: number, body: Uint8Array): void {
        if (!(body instanceof Uint8Array)) {
            throw new UsageError("the body is no Uint8Array");
        }
        if (body.length > this.maxBody) {
            throw new UsageError(`body of ${body.length} bytes is over the limit of ${this.maxBody}`);
        }
        if (!(Number.isInteger(type) && type > wire.LAST_RESERVED && type <= wire.MAX_TYPE)) {
            throw new UsageError(`type ${type} is no whole number within ${wire.LAST_RESERVED + 1}..${wire.MAX_TYPE}`);
        }
        if (this.failure !== undefined) {
            throw this.failure;
        }
        if (this.closing) {
            throw new UsageError("the publisher is closed");
        }
    }

    /** Takes a message that was checked; `false`: there is no room for it now. */
    offer(type: number, body: Uint8Array): boolean {
        const size = wire.HEADER + body.length;
        if (size > this.#frames.room) {
            return false;
        }
        this.#frames.add(type, body);
        this.messages++;
        this.bytes += size;
        return true;
    }

    /** Begins a connection: its input, and the bytes to send first. */
    connect(endpoint: string, token?: string): { link: Link; first: Buffer | undefined } {
        const link = (this.#link = new Link(endpoint, this, this.#settings));
        this.#sentBefore = this.#given;
        this.#pinged = this.#bytesBehindPing = 0;
        this.isIntervalOver = false;
        if (this.#settings.acks && this.#first !== 0n) {
            this.#forget(smaller(this.#settledTo, this.#everSentTo));
        }
        this.#sent = 0;
        this.#sentPlace = this.#frames.head;
        if (link.plain) {
            this.#settings.onEvent(connected(endpoint));
            return { link, first: undefined };
        }
        const number = this.#settings.acks ? this.#first : 0n;
        return { link, first: publisherHello(this.#settings, this.epoch, number, token) };
    }

    /** Frames to send now, whole ones, at least one and about `most` bytes, and a PING that is due; empty: none. */
    toSend(most: number): Buffer[] {
        const from = this.#sentPlace;
        let to = this.#frames.tail;
        if (!this.#link.open || this.#link.goingAway !== 0) {
            return [];
        }
        if (from === to) {
            return this.#duePing();
        }
        let count = this.unsettled - this.#sent;
        if (to - from > most) {
            for (count = 0, to = from; to - from < most; count++) {
                to = this.#frames.after(to);
            }
        }
        this.#sentPlace = to;
        this.#sent += count;
        if (this.#settings.acks) {
            const sentTo = this.#sentTo();
            if (sentTo > this.#everSentTo) {
                this.#everSentTo = sentTo;
            }
            return this.#frames.between(from, to);
        }
        this.#bytesBehindPing += to - from;
        return [...this.#frames.between(from, to), ...this.#duePing()];
    }

    /** The PING behind all that was given, if the last one is answered and there is a reason for another one. */
    #duePing(): Buffer[] {
        const [given, wanted] = [this.#given, this.#wanted];
        const isWanted = wanted.length > 0 && wanted[0]! <= given;
        if (!this.isUnconfirmed || this.#pinged !== 0) {
            return [];
        }
        if (!this.isIntervalOver && this.#bytesBehindPing < BYTES_A_PING && !isWanted) {
            return [];
        }
        this.#wanted = wanted.filter((count) => count > given);
        this.#pinged = given;
        this.#bytesBehindPing = 0;
        this.isIntervalOver = false;
        this.pingId = this.nextPingId(this.pingId);
        return [wire.ping(this.pingId)];
    }

    onPong(id: bigint): void {
        if (this.#pinged !== 0 && id === this.pingId) {
            this.#link.progressed = true;
            this.#confirmed += this.#pinged - this.#known;
            this.#known = this.#pinged;
            this.#pinged = 0;
            this.isIntervalOver &&= this.isUnconfirmed;
        }
    }

    /** Begins a flush of all messages so far: a PING comes behind the last one. */
    ask(): Asked {
        const covered = this.#wanted.at(-1) ?? Math.max(this.#known, this.#pinged);
        if (this.confirms && this.messages > covered) {
            this.#wanted.push(this.messages);
        }
        return { to: this.messages, told: this.#told };
    }

    /** Whether all these messages are settled; without ACKS: confirmed, or lost with their connection. */
    isOver(asked: Asked): boolean {
        return (this.confirms ? this.#known : this.settled) >= asked.to;
    }

    /** Ends a flush: whether all is done; throws what is wrong. */
    answer(asked: Asked): boolean {
        const isOver = this.isOver(asked);
        if (!this.confirms) {
            if (!isOver && this.failure !== undefined) {
                throw this.failure;
            }
            return isOver;
        }
        const lost = this.#lost - asked.told;
        this.#told = this.#lost;
        if (lost > 0 || !isOver) {
            throw this.#notDone(asked.to, lost);
        }
        return true;
    }

    /** Messages that are not settled; without ACKS those that are not confirmed, but for what was told before. */
    left(asked: Asked): number {
        return this.confirms ? this.messages - this.#known + this.#lost - asked.told : this.unsettled;
    }

    /** The error for messages that are not done at the end. */
    whatIsLeft(asked: Asked): NotDone {
        if (this.confirms) {
            return this.#notDone(this.messages, this.#lost - asked.told);
        }
        const what = this.#settings.acks ? "acknowledged" : "handed to the socket";
        return new NotDone(`${this.messages} published, ${this.unsettled} not ${what}`, this.unsettled, 0);
    }

    #notDone(to: number, lost: number): NotDone {
        const given = Math.min(to, this.#given);
        const inDoubt = lost + Math.max(0, given - this.#known);
        const doubt = `${given} sent, ${inDoubt} in doubt: the relay has not confirmed them`;
        const text = to > given ? `${to} published, ${to - given} not sent; ${doubt}` : doubt;
        const cause = this.failure instanceof ConnectionFailed ? this.failure : lost > 0 ? this.#whyLost : undefined;
        return new NotDone(text, inDoubt + to - given, inDoubt, cause);
    }

    /** The socket has taken all that `toSend` gave, whose place in the ring may be used again. */
    written(): void {
        if (this.#settings.acks) {
            // Known to the relay before they were sent over this connection.
            this.#forget(smaller(this.#settledTo, this.#sentTo()));
        } else {
            this.#settle(this.#sent, this.#sentPlace);
        }
    }

    /** The connection has ended. */
    lost(why?: RelayError): void {
        if (this.#settings.acks) {
            return;
        }
        // The half written ones are not sent again: another connection would bring them twice.
        this.written();
        const given = this.#given;
        const messages = given - (this.confirms ? this.#known : this.#sentBefore);
        this.#sentBefore = given;
        this.#pinged = 0;
        if (messages === 0) {
            return;
        }
        if (this.confirms) {
            this.#known = given;
            this.#wanted = this.#wanted.filter((count) => count > given);
            this.#whyLost = why;
        }
        this.#settings.onEvent({ kind: "inDoubt", messages });
    }

    onWelcome(welcome: Welcome): void {
        const { settings, link } = { settings: this.#settings, link: this.#link };
        if (settings.acks && (welcome.features & wire.ACKS) === 0) {
            throw new ConnectionFailed(`the relay at ${link.endpoint} grants no acknowledgements`, errors.STOP);
        }
        link.checkLevel(settings.level, welcome);
        if (this.epoch !== 0n && welcome.epochChanged && !welcome.rolledBack) {
            const common = inCommon(this.#lives, welcome.lives);
            if (common !== undefined) {
                this.#lives = common.rest;
                this.epoch = common.rest[0].epoch;
                link.isAskedAgain = true;
                throw new AskedAgain(`the relay at ${link.endpoint} knows no later epoch than ${this.epoch}`);
            }
        }
        link.messages = "refused";
        this.maxBody = Math.min(settings.maxBody, welcome.maxBody);
        settings.onEvent(connected(link.endpoint, welcome));
        if (settings.acks) {
            this.#number(welcome);
        }
        this.epoch = welcome.epoch;
        this.#lives = welcome.lives;
        if (!welcome.epochChanged) {
            return;
        }
        if (settings.acks && welcome.rolledBack) {
            // The relay does not know what it has told this publisher, and may tell it again.
            const [from, to] = [larger(welcome.fork, this.#toldGone + 1n), this.#first - 1n];
            this.#toldGone = to;
            if (from <= to) {
                settings.onEvent({ kind: "rolledBack", from, to });
            }
        } else {
            settings.onEvent({ kind: "streamChanged", lostFrom: 0n });
        }
    }

    onPing(): void {
        // A publisher does not ask where the stream stands.
    }

    onControl(type: number, body: Buffer): void {
        if (type !== wire.ACK || !this.#settings.acks) {
            throw unexpected(type, "to a publisher that did not ask for it");
        }
        const ack = wire.decodeAck(body);
        this.#link.progressed = true;
        const { level } = this.#settings;
        const settled = level === "stream" ? ack.number : level === "written" ? ack.written : ack.forced;
        const sentTo = this.#sentTo();
        if (ack.number > sentTo) {
            throw neverSent("ACK", ack.number, sentTo);
        }
        if (settled >= this.#first && settled > this.#settledTo) {
            this.#settledTo = settled;
            this.#settings.onAck(settled, settled === ack.number ? ack.sequence : 0n);
            this.#forget(settled);
        }
    }

    /** Number of the last frame that this connection was given. */
    #sentTo(): bigint {
        return larger(0n, this.#first - 1n) + BigInt(this.#sent);
    }

    #number({ accepted, epochChanged }: Welcome): void {
        if (accepted === wire.MAX_NUMBER) {
            throw new BrokenRule(errors.MESSAGE_GAP, `WELCOME has accepted ${accepted}, which leaves no number`);
        }
        if (this.#first === 0n) {
            this.#first = this.firstNumber = accepted + 1n;
            this.#everSentTo = accepted;
        } else if (accepted > 0n && accepted < this.#first - 1n && !epochChanged) {
            throw new BrokenRule(
                errors.MESSAGE_GAP,
                `WELCOME has accepted only ${accepted}, this publisher goes on with ${this.#first}`,
            );
        } else if (accepted >= this.#first && accepted > this.#settledTo) {
            // The caller may have published these numbers in an earlier process: only at first.
            if (this.#wasWelcomed && accepted > this.#everSentTo) {
                throw neverSent("WELCOME", accepted, this.#everSentTo);
            }
            // The relay counts this connection's messages from HELLO's number on: they are sent before they are
            // forgotten.
            this.#settledTo = accepted;
            this.#settings.onAck(accepted, 0n);
        }
        this.#wasWelcomed = true;
    }

    /** Forgets the kept messages up to this number. */
    #forget(number: bigint): void {
        const count = Math.min(Number(number - this.#first) + 1, this.unsettled);
        if (count > 0) {
            let place = this.#frames.head;
            for (let i = 0; i < count; i++) {
                place = this.#frames.after(place);
            }
            this.#first += BigInt(count);
            this.#settle(count, place);
        }
    }

    #settle(count: number, place: number): void {
        this.settled += count;
        this.#sent = Math.max(0, this.#sent - count);
        this.#frames.forget(place);
    }
}

function neverSent(frame: string, number: bigint, sentTo: bigint): BrokenRule {
    return new BrokenRule(
        errors.PROTOCOL_ORDER,
        `${frame} speaks of message ${number}, the last one that was sent is ${sentTo}`,
    );
}

function smaller(a: bigint, b: bigint): bigint {
    return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
    return a > b ? a : b;
}

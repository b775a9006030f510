/** A publisher without a socket: messages that are not settled, their numbers and acknowledgements. */
import * as errors from "./errors.js";
import { BrokenRule, ConnectionFailed, type RelayError, UsageError } from "./errors.js";
import { connected, Link, unexpected } from "./link.js";
import { publisherHello, type PublisherSettings } from "./options.js";
import * as wire from "./wire.js";
import type { Welcome } from "./wire.js";

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
 * without ACKS keeps a frame until the socket has taken it.
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

    readonly #settings: PublisherSettings;
    readonly #frames: Frames;
    #link: Link;
    #first: bigint;
    #sent = 0;
    #sentPlace = 0;
    // Number of the last frame that any connection was given.
    #everSentTo: bigint;
    #settledTo = 0n;
    #toldGone = 0n;
    #wasWelcomed = false;
    #sentWithoutAcks = 0;

    constructor(settings: PublisherSettings) {
        this.#settings = settings;
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
    connect(endpoint: string): { link: Link; first: Buffer | undefined } {
        const link = (this.#link = new Link(endpoint, this, this.#settings));
        this.#sentWithoutAcks = 0;
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
        return { link, first: publisherHello(this.#settings, this.epoch, number) };
    }

    /** Frames to send now, whole ones, at least one and about `most` bytes; empty: none. */
    toSend(most: number): Buffer[] {
        const from = this.#sentPlace;
        let to = this.#frames.tail;
        if (from === to || !this.#link.open || this.#link.goingAway !== 0) {
            return [];
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
        } else {
            this.#sentWithoutAcks += count;
        }
        return this.#frames.between(from, to);
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
    lost(): void {
        if (this.#sentWithoutAcks > 0) {
            // The half written ones are not sent again: another connection would bring them twice.
            this.written();
            const messages = this.#sentWithoutAcks;
            this.#sentWithoutAcks = 0;
            this.#settings.onEvent({ kind: "inDoubt", messages });
        }
    }

    onWelcome(welcome: Welcome): void {
        const { settings, link } = { settings: this.#settings, link: this.#link };
        if (settings.acks && (welcome.features & wire.ACKS) === 0) {
            throw new ConnectionFailed(`the relay at ${link.endpoint} grants no acknowledgements`, errors.STOP);
        }
        link.checkLevel(settings.level, welcome);
        link.messages = "refused";
        this.maxBody = Math.min(settings.maxBody, welcome.maxBody);
        settings.onEvent(connected(link.endpoint, welcome));
        if (settings.acks) {
            this.#number(welcome);
        }
        this.epoch = welcome.epoch;
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

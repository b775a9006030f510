import { Bell } from "./bell.js";
import { LARGEST_WRITE, LINGER_MS } from "./connection.js";
import { ConnectionFailed, nameOf, UsageError } from "./errors.js";
import type { Link } from "./link.js";
import { type PublisherOptions, type PublisherSettings, publisherSettings } from "./options.js";
import { type Asked, PublisherCore } from "./publisher-core.js";
import { begun, ended, type Unfinished } from "./program.js";
import { fault, Session } from "./session.js";

/** Bytes that a waiting call of `publish` counts beside its body. */
const CALL_SIZE = 256;

/** A call of `publish` that waits for room. */
interface Waiting {
    readonly type: number;
    readonly body: Uint8Array;
    readonly end: (taken: boolean) => void;
    readonly fail: (why: Error) => void;
}

/**
 * Publishes messages. It connects at once, and stays connected. With ACKS each message is kept until it is
 * acknowledged, and sent again after a cut.
 *
 * ```ts
 * const publisher = new Publisher({ endpoints: "127.0.0.1:7401", name: "orders", acks: true });
 * await publisher.publish(7, Buffer.from("hello"));
 * await publisher.close();
 * ```
 */
export class Publisher implements AsyncDisposable {
    readonly #settings: PublisherSettings;
    readonly #core: PublisherCore;
    readonly #session: Session;
    readonly #bell = new Bell();
    // Calls in their order.
    readonly #waiting = new Set<Waiting>();
    #waitingSize = 0;
    #isScheduled = false;
    #isWriting = false;
    // Runs for a heartbeat interval behind the PING with this id while something is not confirmed.
    #timer: NodeJS.Timeout | undefined;
    #timedPing = -1n;
    // Calls whose promises are not settled.
    #calls = 0;
    readonly #unfinished: Unfinished;
    // Number of messages that the end of the program has waited for.
    #finishedTo = 0;

    /**
     * @throws {@link UsageError} an option breaks a limit
     */
    constructor(options: PublisherOptions) {
        this.#settings = publisherSettings(options);
        this.#core = new PublisherCore(this.#settings);
        const core = this.#core;
        this.#session = new Session(
            this.#settings,
            {
                ready: () => Promise.resolve(),
                connect: (endpoint, token) => {
                    this.#isWriting = false;
                    return core.connect(endpoint, token);
                },
                onOpen: () => {
                    this.#send();
                    this.#settled();
                },
                onInput: () => {
                    this.#session.progressed();
                    if (core.confirms) {
                        // The answer to a PING allows the next one.
                        this.#send();
                    }
                    this.#settled();
                },
                onLost: (why) => {
                    this.#session.progressed();
                    this.#stopTimer();
                    if (this.#session.stopping) {
                        return;
                    }
                    // Another connection would bring nothing: what is in doubt is not sent again.
                    this.#session.stopping = core.confirms && core.closing && core.unsentBytes === 0;
                    core.lost(fault(why));
                    this.#settled();
                },
                onEnd: (why) => (core.failure = why),
            },
            () => {
                core.failure ??= new UsageError("the publisher is closed");
                this.#settled();
                if (core.unfinished === 0) {
                    ended(this.#unfinished);
                }
            },
        );
        this.#session.hold.isOn = false;
        const loss = (): string | undefined => this.#loss;
        this.#unfinished = {
            finish: () => this.#finish(),
            get loss() {
                return loss();
            },
        };
        begun(this.#unfinished);
    }

    /** Number of messages taken. */
    get messages(): number {
        return this.#core.messages;
    }

    /** Bytes of these messages, headers included. */
    get bytes(): number {
        return this.#core.bytes;
    }

    /**
     * Number of messages that are acknowledged; without ACKS handed to the socket, which says nothing about the relay.
     */
    get settled(): number {
        return this.#core.settled;
    }

    /**
     * Number of messages that the relay has read for certain; with ACKS acknowledged. Plain: 0, for none can be
     * confirmed.
     */
    get confirmed(): number {
        return this.#core.confirmed;
    }

    /** Number of this publisher's first message; 0: not known yet. */
    get firstNumber(): bigint {
        return this.#core.firstNumber;
    }

    /** Epoch of the relay's stream, to store with the numbers; 0: not known yet. */
    get epoch(): bigint {
        return this.#core.epoch;
    }

    /**
     * Waits for the first WELCOME, or plain connection.
     *
     * @throws {@link RelayError} the client gave up
     */
    async connected(): Promise<void> {
        await this.#held(this.#bell.until(() => this.#session.isConnected || this.#session.isEnded));
        if (!this.#session.isConnected) {
            throw this.#core.failure ?? new ConnectionFailed("the publisher was closed");
        }
    }

    /**
     * Takes a copy of a message for sending; `false`: the buffer has no room now.
     *
     * @param type - any signed number of 32 bits but the reserved ones, which are the lowest 256
     * @param body - up to `maxBody` bytes
     * @throws {@link UsageError} a reserved type, or a body over `maxBody`
     * @throws {@link ConnectionFailed} the client has given up
     */
    offer(type: number, body: Uint8Array): boolean {
        this.#core.check(type, body);
        // Calls that wait have their turn first.
        const taken = this.#waiting.size === 0 && this.#core.offer(type, body);
        if (taken) {
            this.#schedule();
        }
        return taken;
    }

    /**
     * Offers a message, and waits for room in the order of the calls. Until then it keeps the body itself. The calls
     * that wait keep no more than `buffer`: more calls that nobody awaits end with a `UsageError`.
     *
     * The promise is fulfilled when the message is in the buffer. It may not be sent yet: `flush` waits for more.
     *
     * @returns whether the message was taken; `false`: there was no room within `timeoutMs`
     */
    async publish(type: number, body: Uint8Array, timeoutMs = Infinity): Promise<boolean> {
        return this.offer(type, body) || (timeoutMs > 0 && (await this.#held(this.#wait(type, body, timeoutMs))));
    }

    /**
     * Waits until all messages so far are done: acknowledged; without ACKS confirmed, so the relay has read them; plain,
     * which can know no more, handed to the socket. A message counts from the moment `offer` returns `true`, or the
     * promise of `publish` is fulfilled.
     *
     * @returns whether they are; `false`: they were not within `timeoutMs`, with ACKS or plain
     * @throws {@link NotDone} without ACKS: they were not confirmed within `timeoutMs`, or before the client gave up; or
     *     messages are in doubt since their connection was lost, which is told once
     * @throws {@link ConnectionFailed} with ACKS or plain: the client has given up
     */
    async flush(timeoutMs = Infinity): Promise<boolean> {
        const asked = this.#ask();
        await this.#over(asked, timeoutMs);
        return this.#core.answer(asked);
    }

    /**
     * Waits until all messages are done as `flush` does, for `closeTimeoutMs` at most, over new connections if needed,
     * and ends the connection. Calls of `publish` that wait end with a `UsageError`. The promise is never rejected: look
     * at its number.
     *
     * @returns number of messages that are not done: not acknowledged; without ACKS in doubt or not sent, but for those
     *     that `flush` has told; plain, not handed to the socket
     */
    async close(): Promise<number> {
        return this.#core.left(await this.#close());
    }

    async #close(): Promise<Asked> {
        const asked = await this.#held(this.#end());
        ended(this.#unfinished);
        return asked;
    }

    async #end(): Promise<Asked> {
        const { closeTimeoutMs, plain } = this.#settings;
        this.#core.closing = true;
        this.#settled();
        const asked = this.#ask();
        const isOver = await this.#over(asked, closeTimeoutMs);
        this.#session.stopping = true;
        if (isOver && plain && this.#session.connection?.isOpen === true) {
            // The relay's last word is still to be heard.
            this.#session.connection.endWriting();
            await this.#bell.until(() => this.#session.isEnded, Math.min(LINGER_MS, closeTimeoutMs));
        }
        this.#stopTimer();
        await this.#session.cancel(!isOver && this.#core.confirms);
        return asked;
    }

    /**
     * Same as `close`, at the end of `await using`.
     *
     * @throws {@link NotDone} messages are not done, and no `close` of the caller tells it
     */
    async [Symbol.asyncDispose](): Promise<void> {
        const isFirst = !this.#core.closing;
        const asked = await this.#close();
        if (this.#core.left(asked) > 0 && isFirst) {
            throw this.#core.whatIsLeft(asked);
        }
    }

    #ask(): Asked {
        const asked = this.#core.ask();
        this.#schedule();
        return asked;
    }

    async #over(asked: Asked, timeoutMs: number): Promise<boolean> {
        await this.#held(this.#bell.until(() => this.#core.isOver(asked) || this.#session.isEnded, timeoutMs));
        return this.#core.isOver(asked);
    }

    /** The program goes on until the call ends. */
    async #held<T>(call: Promise<T>): Promise<T> {
        this.#calls++;
        this.#session.hold.isOn = true;
        try {
            return await call;
        } finally {
            this.#calls--;
            this.#session.hold.isOn = this.#calls > 0;
        }
    }

    /** The program has nothing else to do: waits for the relay once, for the close time-out at most. */
    #finish(): void {
        const { messages, unfinished } = this.#core;
        if (unfinished > 0 && messages > this.#finishedTo && !this.#session.isEnded) {
            this.#finishedTo = messages;
            void this.#over(this.#ask(), this.#settings.closeTimeoutMs);
        }
    }

    get #loss(): string | undefined {
        const { unfinished, messages } = this.#core;
        const { acks, plain, name } = this.#settings;
        const what = acks ? "acknowledged" : plain ? "handed to the socket" : "confirmed";
        const whose = name === "" ? "a publisher" : `publisher ${JSON.stringify(name)}`;
        return unfinished === 0
            ? undefined
            : `relay: the program ends without a close of ${whose}: ${unfinished} of ${messages} messages not ${what}`;
    }

    #wait(type: number, body: Uint8Array, timeoutMs: number): Promise<boolean> {
        const size = body.length + CALL_SIZE;
        if (this.#waiting.size > 0 && this.#waitingSize + size > this.#settings.buffer) {
            throw new UsageError(
                `${this.#waiting.size} calls of publish wait with ${this.#waitingSize} bytes: await them`,
            );
        }
        return new Promise((resolve, reject) => {
            let timer: NodeJS.Timeout | undefined;
            const ended = (): void => {
                clearTimeout(timer);
                this.#waiting.delete(waiting);
                this.#waitingSize -= size;
            };
            const waiting: Waiting = {
                type,
                body,
                end: (taken) => {
                    ended();
                    resolve(taken);
                },
                fail: (why) => {
                    ended();
                    reject(why);
                },
            };
            if (timeoutMs < 2 ** 31) {
                timer = setTimeout(waiting.end, timeoutMs, false);
            }
            this.#waiting.add(waiting);
            this.#waitingSize += size;
        });
    }

    /** There may be room for calls that wait, or reason for others to go on. */
    #settled(): void {
        for (const waiting of this.#waiting) {
            const { type, body } = waiting;
            try {
                this.#core.check(type, body);
                if (!this.#core.offer(type, body)) {
                    break;
                }
                waiting.end(true);
                this.#schedule();
            } catch (e) {
                waiting.fail(e as Error);
            }
        }
        this.#bell.ring();
    }

    /** Sends soon, together with what is published until then; at once if it is much. */
    #schedule(): void {
        if (this.#core.unsentBytes >= LARGEST_WRITE) {
            this.#send();
        } else {
            this.#goOnSoon();
        }
    }

    /**
     * Goes on in the next turn of the event loop. While the socket takes everything at once, a caller in a loop would
     * leave no turn to read in otherwise, and the relay's PINGs and PONGs would wait.
     */
    #goOnSoon(): void {
        if (!this.#isScheduled) {
            this.#isScheduled = true;
            setImmediate(() => {
                this.#isScheduled = false;
                this.#send();
                this.#settled();
            });
        }
    }

    /** Sends what waits, unless the socket is full. */
    #send(): void {
        const { connection } = this.#session;
        if (connection?.isOpen !== true) {
            return;
        }
        const frames = this.#isWriting ? [] : this.#core.toSend(LARGEST_WRITE);
        if (this.#core.confirms) {
            this.#timePing(connection.link!);
        }
        if (frames.length > 0) {
            this.#isWriting = true;
            connection.write(frames, () => {
                this.#isWriting = false;
                this.#core.written();
                this.#goOnSoon();
            });
        }
    }

    /** Sees to it that a heartbeat interval behind a PING the next one comes, if something is not confirmed. */
    #timePing(link: Link): void {
        const core = this.#core;
        if (core.closing && link.goingAway !== 0) {
            const text = `the relay at ${link.endpoint} goes away: ${nameOf(link.goingAway)}`;
            this.#session.connection?.end(new ConnectionFailed(text, undefined, link.goingAway));
        }
        if (core.isUnconfirmed && this.#timedPing === core.pingId) {
            return;
        }
        this.#stopTimer();
        if (core.isUnconfirmed) {
            this.#timedPing = core.pingId;
            this.#timer = setTimeout(() => {
                core.isIntervalOver = true;
                this.#send();
            }, link.heartbeatMs).unref();
        }
    }

    #stopTimer(): void {
        clearTimeout(this.#timer);
        this.#timedPing = -1n;
    }
}

import { Bell } from "./bell.js";
import { LARGEST_WRITE, LINGER_MS } from "./connection.js";
import { ConnectionFailed, UsageError } from "./errors.js";
import { type PublisherOptions, type PublisherSettings, publisherSettings } from "./options.js";
import { PublisherCore } from "./publisher-core.js";
import { Session } from "./session.js";

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
                connect: (endpoint) => {
                    this.#isWriting = false;
                    return core.connect(endpoint);
                },
                onOpen: () => {
                    this.#send();
                },
                onInput: () => {
                    this.#session.progressed();
                    this.#settled();
                },
                onLost: () => {
                    this.#session.progressed();
                    if (!this.#session.stopping) {
                        core.lost();
                    }
                },
                onEnd: (why) => (core.failure = why),
            },
            () => {
                core.failure ??= new UsageError("the publisher is closed");
                this.#settled();
            },
        );
    }

    /** Number of messages taken. */
    get messages(): number {
        return this.#core.messages;
    }

    /** Bytes of these messages, headers included. */
    get bytes(): number {
        return this.#core.bytes;
    }

    /** Number of messages that are settled: acknowledged, or without ACKS handed to the socket. */
    get settled(): number {
        return this.#core.settled;
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
        await this.#bell.until(() => this.#session.isConnected || this.#session.isEnded);
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
     * @returns whether the message was taken; `false`: there was no room within `timeoutMs`
     */
    async publish(type: number, body: Uint8Array, timeoutMs = Infinity): Promise<boolean> {
        return this.offer(type, body) || (timeoutMs > 0 && (await this.#wait(type, body, timeoutMs)));
    }

    /**
     * Waits until every message is settled: acknowledged, or without ACKS handed to the socket.
     *
     * @returns whether it is so; `false`: it was not within `timeoutMs`
     * @throws {@link ConnectionFailed} the client has given up
     */
    async flush(timeoutMs = Infinity): Promise<boolean> {
        await this.#allSettled(timeoutMs);
        if (this.#core.unsettled > 0 && this.#core.failure !== undefined) {
            throw this.#core.failure;
        }
        return this.#core.unsettled === 0;
    }

    /**
     * Settles what was published, for `closeTimeoutMs` at most, over new connections if needed. Calls of `publish` that
     * wait end with a `UsageError`.
     *
     * @returns number of messages that were not settled
     */
    async close(): Promise<number> {
        const { closeTimeoutMs, acks } = this.#settings;
        this.#core.closing = true;
        this.#settled();
        await this.#allSettled(closeTimeoutMs);
        this.#session.stopping = true;
        if (this.#core.unsettled === 0 && !acks && this.#session.connection?.isOpen === true) {
            // The relay's last word is still to be heard.
            this.#session.connection.endWriting();
            await this.#bell.until(() => this.#session.isEnded, Math.min(LINGER_MS, closeTimeoutMs));
        }
        await this.#session.cancel();
        return this.#core.unsettled;
    }

    /** Same as `close`. */
    async [Symbol.asyncDispose](): Promise<void> {
        await this.close();
    }

    #allSettled(timeoutMs: number): Promise<boolean> {
        return this.#bell.until(() => this.#core.unsettled === 0 || this.#session.isEnded, timeoutMs);
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
        } else if (!this.#isScheduled) {
            this.#isScheduled = true;
            setImmediate(() => {
                this.#isScheduled = false;
                this.#send();
            });
        }
    }

    /** Sends what waits, unless the socket is full. */
    #send(): void {
        const { connection } = this.#session;
        if (connection?.isOpen !== true || this.#isWriting) {
            return;
        }
        const frames = this.#core.toSend(LARGEST_WRITE);
        if (frames.length > 0) {
            this.#isWriting = true;
            connection.write(frames, () => {
                this.#isWriting = false;
                this.#core.written();
                this.#send();
                this.#settled();
            });
        }
    }
}

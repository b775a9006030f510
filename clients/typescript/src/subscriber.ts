import { Bell } from "./bell.js";
import { ConnectionFailed, type RelayError } from "./errors.js";
import { type Item, Message } from "./events.js";
import { type Range, type SubscriberOptions, type SubscriberSettings, subscriberSettings } from "./options.js";
import { Session } from "./session.js";
import { type Batch, SubscriberCore } from "./subscriber-core.js";

const NOTHING: Batch = { items: [], messages: 0, bytes: 0, size: 0, epoch: 0n, start: 0n, next: 0n };

/**
 * Messages, gaps and changes of the stream, in its order. It connects at once, and stays connected.
 *
 * Breaking out of a loop ends nothing; another loop goes on behind the last item.
 *
 * ```ts
 * const subscriber = new Subscriber({ endpoints: "127.0.0.1:7400" });
 * for await (const item of subscriber) {
 *     ...
 * }
 * ```
 */
export class Subscriber implements AsyncIterable<Item>, AsyncDisposable {
    readonly #settings: SubscriberSettings;
    readonly #core: SubscriberCore;
    readonly #session: Session;
    readonly #bell = new Bell();
    #failure: RelayError | undefined;
    #isClosed = false;
    // Read and not handed over, beginning with the batch that is being handed over, up to an item of it.
    #current = NOTHING;
    #handed = 0;
    #pending: Batch[] = [];
    #pendingSize = 0;
    // Counts of the batches before.
    #messages = 0;
    #bytes = 0;

    /**
     * @throws {@link UsageError} an option breaks a limit
     */
    constructor(options: SubscriberOptions) {
        this.#settings = subscriberSettings(options);
        this.#core = new SubscriberCore(this.#settings);
        this.#session = new Session(
            this.#settings,
            {
                ready: () => this.#ready(),
                connect: (endpoint, token) => this.#core.connect(endpoint, token),
                onOpen: () => {
                    this.#core.heard(performance.now());
                    this.#onInput();
                    this.#sendRequests();
                    this.#bell.ring();
                },
                onInput: () => {
                    this.#core.heard(performance.now());
                    this.#onInput();
                },
                onLost: () => {
                    this.#onInput();
                },
                onEnd: (why) => (this.#failure = why),
            },
            () => {
                this.#core.end(this.#failure ?? new ConnectionFailed("the subscriber was closed"));
                this.#bell.ring();
            },
        );
    }

    /** Number of messages handed over. */
    get messages(): number {
        return this.#messages + this.#messagesHanded().length;
    }

    /** Bytes of these messages, headers included. */
    get bytes(): number {
        return this.#messagesHanded().reduce((sum, message) => sum + message.length + 8, this.#bytes);
    }

    /** Epoch of `next`; 0 before the first WELCOME. */
    get epoch(): bigint {
        return this.#place().epoch;
    }

    /** Sequence behind the last item that was handed over: where another process would go on. */
    get next(): bigint {
        return this.#place().next;
    }

    /** Newest sequence of the stream, from the relay's last PING; 0: not known. */
    get head(): bigint {
        return this.#core.head;
    }

    /**
     * Waits for the first WELCOME, or plain connection.
     *
     * @throws {@link RelayError} the client gave up
     */
    async connected(): Promise<void> {
        await this.#bell.until(() => this.#session.isConnected || this.#session.isEnded);
        if (!this.#session.isConnected) {
            throw this.#failure ?? new ConnectionFailed("the subscriber was closed");
        }
    }

    /**
     * All items that have come, at least one: the fastest way to read. Empty: the subscriber was closed, or nothing has
     * come within `timeoutMs`.
     *
     * @throws {@link RelayError} the client gave up; all that came before was handed over
     */
    async batch(timeoutMs = Infinity): Promise<readonly Item[]> {
        while (await this.#more(timeoutMs)) {
            const { items } = this.#current;
            const first = this.#handed;
            if (first < items.length) {
                this.#handed = items.length;
                return first === 0 ? items : items.slice(first);
            }
        }
        return [];
    }

    /** Hands over the items one by one; ends when the subscriber is closed, throws when the client gave up. */
    [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
        return {
            next: () => {
                const item = this.#take();
                return item === undefined ? this.#later() : Promise.resolve({ done: false, value: item });
            },
        };
    }

    /**
     * Changes the types, here and on later connections; empty: every type.
     *
     * @returns the sequence of the first message that these types choose
     * @throws {@link UsageError} the ranges break a limit, or 64 changes wait
     */
    async types(ranges: readonly Range[]): Promise<bigint> {
        const sequence = new Promise<bigint>((done, failed) => {
            this.#core.change(ranges, { done, failed });
        });
        this.#sendRequests();
        return sequence;
    }

    /** Ends the connection. What was read and not handed over is dropped. */
    async close(): Promise<void> {
        this.#isClosed = true;
        this.#bell.ring();
        await this.#session.cancel();
    }

    /** Same as `close`. */
    [Symbol.asyncDispose](): Promise<void> {
        return this.close();
    }

    #take(): Item | undefined {
        const item = this.#isClosed ? undefined : this.#current.items[this.#handed];
        if (item !== undefined) {
            this.#handed++;
        }
        return item;
    }

    async #later(): Promise<IteratorResult<Item, undefined>> {
        while (await this.#more()) {
            const item = this.#take();
            if (item !== undefined) {
                return { done: false, value: item };
            }
        }
        return { done: true, value: undefined };
    }

    /** Waits for items that are not handed over; `false`: closed, or the time is over. */
    async #more(timeoutMs = Infinity): Promise<boolean> {
        const hasItems = (): boolean => this.#handed < this.#current.items.length || this.#pending.length > 0;
        const isOver = (): boolean => this.#isClosed || this.#session.isEnded;
        let isInTime = true;
        while (isInTime && !isOver() && !hasItems()) {
            isInTime = await this.#bell.until(() => hasItems() || isOver(), timeoutMs);
        }
        if (this.#isClosed) {
            return false;
        }
        if (!hasItems()) {
            if (isInTime && this.#failure !== undefined) {
                throw this.#failure;
            }
            return false;
        }
        if (this.#handed === this.#current.items.length) {
            this.#turn();
        }
        return true;
    }

    /** Goes on to the next batch. */
    #turn(): void {
        this.#messages += this.#current.messages;
        this.#bytes += this.#current.bytes;
        this.#current = this.#pending.shift() ?? NOTHING;
        this.#handed = 0;
        this.#pendingSize -= this.#current.size;
        if (!this.#isFull()) {
            this.#session.connection?.resumeReading();
            this.#bell.ring();
        }
    }

    #isFull(): boolean {
        return this.#pendingSize >= this.#settings.buffer;
    }

    /** A connection brings a read at least. */
    async #ready(): Promise<void> {
        await this.#bell.until(() => !this.#isFull() || this.#isClosed);
    }

    #onInput(): void {
        const batch = this.#core.batch();
        if (batch !== undefined) {
            this.#pending.push(batch);
            this.#pendingSize += batch.size;
            if (this.#isFull()) {
                this.#session.connection?.pauseReading();
            }
            this.#bell.ring();
        }
        this.#session.progressed();
    }

    #sendRequests(): void {
        const { connection } = this.#session;
        if (connection?.isOpen === true) {
            connection.write(this.#core.requests());
        }
    }

    #messagesHanded(): Message[] {
        return this.#current.items.slice(0, this.#handed).filter((item) => item instanceof Message);
    }

    #place(): { epoch: bigint; next: bigint } {
        const { items, epoch, start } = this.#current;
        if (this.#handed === items.length) {
            const { epoch: following, start: next } = this.#pending[0] ?? {
                epoch: this.#core.epoch,
                start: this.#core.next,
            };
            return { epoch: following, next };
        }
        for (let i = this.#handed - 1; i >= 0; i--) {
            const item = items[i];
            if (item instanceof Message && item.sequence !== 0n) {
                return { epoch, next: item.sequence + 1n };
            }
            if (item?.kind === "gap") {
                return { epoch, next: item.to + 1n };
            }
        }
        return { epoch, next: start };
    }
}

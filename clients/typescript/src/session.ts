/** A client over its connections: connects, stays, and connects again. */
import { Connection } from "./connection.js";
import { renewed } from "./credentials.js";
import { ConnectionFailed, RelayError, STOP } from "./errors.js";
import { Expiry } from "./expiry.js";
import type { Link } from "./link.js";
import { AskedAgain } from "./lives.js";
import type { ConnectionSettings } from "./options.js";
import { Hold } from "./program.js";
import { Reconnector } from "./retry.js";

/** Between two looks at the end of the client's certificate while it is connected. */
const LOOK_MS = 86_400_000;

/** The part of a client that subscriber and publisher do otherwise. An exception ends the client. */
export interface Client {
    /** Waits until another connection may be made, or the client is closed. */
    ready(): Promise<void>;
    connect(endpoint: string, token: string | undefined): { link: Link; first: Buffer | undefined };
    onOpen(): void;
    onInput(): void;
    /** Nothing more is sent over the connection. */
    onLost(why: unknown): void;
    /** The client has given up. */
    onEnd(why: RelayError): void;
}

export class Session {
    connection: Connection | undefined;
    /** Set once all is done: the end of the connection is then the end of the client. */
    stopping = false;
    isConnected = false;
    isEnded = false;
    /** Ends with the client; never rejects. */
    readonly done: Promise<void>;
    /** On until its owner says otherwise, and off at the end. */
    readonly hold = new Hold();

    readonly #settings: ConnectionSettings;
    readonly #client: Client;
    readonly #reconnector: Reconnector;
    readonly #expiry = new Expiry();
    #isCancelled = false;
    #isFirst = true;
    #wake: (() => void) | undefined;

    /** Connects soon, not at once: its owner is still being made. */
    constructor(settings: ConnectionSettings, client: Client, onDone: () => void) {
        this.#settings = settings;
        this.#client = client;
        this.#reconnector = new Reconnector(settings.endpoints, settings.reconnect);
        this.done = Promise.resolve()
            .then(() => this.#run())
            .catch((e: unknown) => this.#giveUp(fault(e)))
            .then(() => {
                this.isEnded = true;
                this.hold.end();
                onDone();
            });
    }

    /** Ends the client in a bounded time; with `isUrgent` at once, and what the socket has not taken is dropped. */
    async cancel(isUrgent = false): Promise<void> {
        this.#isCancelled = true;
        const why = new ConnectionFailed("the client was closed");
        if (isUrgent) {
            this.connection?.abort(why);
        } else {
            this.connection?.end(why);
        }
        this.#wake?.();
        await this.done;
    }

    /** Tells the reconnector of input that shows that the connection works. */
    progressed(): void {
        const link = this.connection?.link;
        if (link?.progressed === true && !link.isAskedAgain) {
            link.progressed = false;
            this.#reconnector.progressed(performance.now());
        }
    }

    async #run(): Promise<void> {
        for (;;) {
            await this.#client.ready();
            const endpoint = this.#reconnector.current;
            let why = this.#isCancelled ? undefined : await this.#oneConnection();
            if (this.#isCancelled) {
                return;
            }
            if (why instanceof AskedAgain) {
                continue;
            }
            if (why instanceof ConnectionFailed) {
                why = this.#reconnector.explained(why);
            }
            if (!(why instanceof ConnectionFailed) || this.stopping) {
                this.#giveUp(fault(why));
                return;
            }
            const wait = this.#reconnector.failed(why, performance.now());
            if (wait instanceof ConnectionFailed) {
                this.#giveUp(wait);
                return;
            }
            try {
                this.#settings.onEvent({ kind: "lost", endpoint: endpoint.text, error: why, retryInMs: wait });
            } catch (e) {
                this.#giveUp(fault(e));
                return;
            }
            await this.#sleep(wait);
        }
    }

    async #oneConnection(): Promise<unknown> {
        const client = this.#client;
        const isFirst = this.#isFirst;
        this.#isFirst = false;
        const connection = new Connection(this.#reconnector.current, this.#settings, isFirst, {
            onCertificate: (ends) => {
                this.#expiry.certificate(ends);
                this.#lookAtCertificate();
            },
            connect: (endpoint, token) => client.connect(endpoint, token),
            onOpen: () => {
                this.isConnected = true;
                this.#reconnector.welcomed(performance.now());
                client.onOpen();
            },
            onInput: () => {
                client.onInput();
            },
        });
        this.connection = connection;
        const looks = setInterval(() => {
            try {
                this.#lookAtCertificate();
            } catch (e) {
                connection.end(e);
            }
        }, LOOK_MS);
        looks.unref();
        let why = renewed(await connection.ended, this.#settings);
        clearInterval(looks);
        await connection.close(why);
        if (connection.link !== undefined) {
            if (connection.link.retryAfterMs !== undefined) {
                this.#reconnector.retryAfter(connection.link.retryAfterMs);
            }
            if (connection.link.goingAway !== 0) {
                this.#reconnector.leaving(connection.link.goingAway);
            }
            try {
                client.onLost(why);
            } catch (e) {
                why = e;
            }
        }
        this.connection = undefined;
        return why;
    }

    #lookAtCertificate(): void {
        const days = this.#expiry.due(Date.now());
        if (days !== undefined) {
            this.#settings.onEvent({ kind: "certificate", days });
        }
    }

    #giveUp(why: RelayError): void {
        // The client has failed before its user hears of it.
        this.#client.onEnd(why);
        // All was sent, and the relay has no complaint: this end is no failure. Or close tells what is in doubt.
        const isQuiet = why.code === 0 || (why.kind === "retry" && !this.#settings.plain);
        if (!(this.stopping && isQuiet)) {
            try {
                this.#settings.onEvent({ kind: "gaveUp", error: why });
            } catch {
                // The client has ended already.
            }
        }
    }

    async #sleep(ms: number): Promise<void> {
        await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, ms).unref();
            this.#wake = () => {
                clearTimeout(timer);
                resolve();
            };
        });
        this.#wake = undefined;
    }
}

/** The end of a connection as an error; what is none of this library's is a fault of the caller's function. */
export function fault(why: unknown): RelayError {
    if (why instanceof RelayError) {
        return why;
    }
    const text = why instanceof Error ? `${why.name}: ${why.message}` : String(why);
    return new ConnectionFailed(`fault of the caller's function or of this client: ${text}`, STOP, 0, { cause: why });
}

/** One connection, from its start to its end. */
import * as net from "node:net";
import * as tls from "node:tls";

import { BrokenRule, ConnectionFailed, FEW, STOP } from "./errors.js";
import type { Link } from "./link.js";
import type { ConnectionSettings, Endpoint } from "./options.js";
import * as wire from "./wire.js";

/** Bytes given to a socket at once while more waits. */
export const LARGEST_WRITE = 256 << 10;
/** Answers to PING that the relay does not take, in bytes. */
const MOST_UNREAD = 64 << 10;
/** Longest time for the last words of either side. */
export const LINGER_MS = 1_000;

const LOOPBACK = new net.BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** A client that a connection tells of its states. An exception ends the connection. */
export interface Listener {
    /** The connection is made: its input, and the bytes to send first. */
    connect(endpoint: string): { link: Link; first: Buffer | undefined };
    /** The connection is welcomed, or plain. */
    onOpen(): void;
    onInput(): void;
}

export class Connection {
    /** The reason of the end; never rejects. */
    readonly ended: Promise<unknown>;
    /** Undefined until the connection is made. */
    link: Link | undefined;

    readonly #endpoint: Endpoint;
    readonly #settings: ConnectionSettings;
    readonly #listener: Listener;
    readonly #socket: net.Socket;
    readonly #closed: Promise<void>;
    #resolve!: (why: unknown) => void;
    #over = false;
    #isReached = false;
    #isOpen = false;
    #heard: number;
    #timer: NodeJS.Timeout;

    constructor(endpoint: Endpoint, settings: ConnectionSettings, listener: Listener) {
        this.#endpoint = endpoint;
        this.#settings = settings;
        this.#listener = listener;
        this.ended = new Promise((resolve) => (this.#resolve = resolve));
        this.#heard = performance.now();
        const socket = (this.#socket = dial(endpoint, settings));
        this.#timer = setTimeout(() => {
            this.end(new ConnectionFailed(`no connection to ${endpoint.text} within ${settings.connectTimeoutMs} ms`));
        }, settings.connectTimeoutMs);
        this.#closed = new Promise((resolve) => socket.once("close", () => resolve()));
        socket.once("connect", () => (this.#isReached = true));
        socket.once(settings.tls === undefined ? "connect" : "secureConnect", () => this.#made());
        socket.on("data", (data: Buffer) => this.#received(data));
        socket.on("error", (error: NodeJS.ErrnoException) => this.end(this.#failure(error)));
        socket.on("end", () => this.end(this.#closedByRelay()));
        socket.on("close", () => this.end(this.#closedByRelay()));
    }

    get isOpen(): boolean {
        return this.#isOpen && !this.#over;
    }

    /** Sends these bytes, which must not change until `done` is called. It is not called if the connection ends. */
    write(parts: readonly Buffer[], done?: () => void): void {
        if (this.#over || parts.length === 0) {
            return;
        }
        this.#socket.cork();
        parts.forEach((part, i) => {
            this.#socket.write(part, (error) => {
                if (i === parts.length - 1 && !error && !this.#over) {
                    done?.();
                }
            });
        });
        this.#socket.uncork();
    }

    /** Ends the sending direction. */
    endWriting(): void {
        this.#socket.end();
    }

    pauseReading(): void {
        this.#socket.pause();
    }

    resumeReading(): void {
        if (this.#socket.isPaused()) {
            this.#heard = performance.now();
            this.#socket.resume();
        }
    }

    /** Ends the connection, and drops what its socket has not taken. */
    abort(why: unknown): void {
        this.end(why);
        this.#socket.destroy();
    }

    /** Closes in order, after telling the relay which rule it broke; in a bounded time. */
    async close(why: unknown = new ConnectionFailed("closed")): Promise<void> {
        this.end(why);
        if (this.link === undefined || this.#socket.destroyed) {
            this.#socket.destroy();
        } else {
            if (why instanceof BrokenRule && !this.#settings.plain) {
                this.#socket.write(wire.error(why.code, why.message));
            }
            this.#socket.destroySoon();
        }
        const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS);
        await this.#closed;
        clearTimeout(linger);
    }

    #made(): void {
        if (this.#over) {
            return;
        }
        clearTimeout(this.#timer);
        this.#heard = performance.now();
        try {
            this.#checkSecrecy();
            const { link, first } = this.#listener.connect(this.#endpoint.text);
            this.link = link;
            if (first !== undefined) {
                this.#socket.write(first);
            }
            if (link.open) {
                this.#opened();
            } else {
                this.#watch();
            }
        } catch (e) {
            this.end(e);
        }
    }

    #received(data: Buffer): void {
        const { link } = this;
        if (this.#over || link === undefined) {
            return;
        }
        let fault: { readonly why: unknown } | undefined;
        try {
            link.receive(data);
        } catch (why) {
            fault = { why };
        }
        if (link.open) {
            this.#heard = performance.now();
        }
        const answer = link.output();
        if (fault !== undefined) {
            this.end(fault.why);
        } else if (answer !== undefined && this.#socket.writable) {
            if (this.#socket.writableLength > MOST_UNREAD + LARGEST_WRITE) {
                this.end(new ConnectionFailed("the relay asks with PING and takes no answers"));
            } else {
                this.#socket.write(answer);
            }
        }
        try {
            if (link.open) {
                this.#opened();
            }
            this.#listener.onInput();
        } catch (e) {
            this.end(e);
        }
    }

    #opened(): void {
        if (!this.#isOpen && !this.#over) {
            this.#isOpen = true;
            this.#watch();
            this.#listener.onOpen();
        }
    }

    /** Ends the connection if the relay is silent for too long; otherwise looks again later. */
    #watch(): void {
        clearTimeout(this.#timer);
        const { link } = this;
        if (this.#over || link === undefined || link.plain) {
            return;
        }
        const now = performance.now();
        const patience = this.#isOpen ? link.idleTimeoutMs : this.#settings.handshakeTimeoutMs;
        if (this.#socket.isPaused()) {
            // The silence is this side's own.
            this.#heard = now;
        }
        const left = this.#heard + patience - now;
        if (left > 0) {
            this.#timer = setTimeout(() => this.#watch(), Math.ceil(left));
        } else if (this.#isOpen) {
            this.end(
                new ConnectionFailed(`nothing was heard of the relay at ${this.#endpoint.text} for ${patience} ms`),
            );
        } else {
            this.end(new ConnectionFailed(`no WELCOME from ${this.#endpoint.text} within ${patience} ms`));
        }
    }

    /** Ends the connection for this reason, unless it has another one already; `close` follows. */
    end(why: unknown): void {
        if (!this.#over) {
            this.#over = true;
            clearTimeout(this.#timer);
            this.#resolve(why);
        }
    }

    #closedByRelay(): ConnectionFailed {
        const { link } = this;
        const text =
            link === undefined
                ? `connection to ${this.#endpoint.text} ended before it was made`
                : `the relay at ${this.#endpoint.text} closed the connection` +
                  (link.isWithinFrame ? " within a frame" : "");
        return new ConnectionFailed(text, undefined, 0, { unanswered: link?.open === false });
    }

    #failure(error: NodeJS.ErrnoException): ConnectionFailed {
        const { text } = this.#endpoint;
        const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
        const why = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join("; ");
        const socket = this.#socket;
        if (socket instanceof tls.TLSSocket) {
            // Set if this side refuses the certificate, which it would do again. Any other failure may pass.
            const refused = (socket.authorizationError as Error | null | undefined) ?? undefined;
            const isWithinHandshake = this.#isReached && this.link === undefined;
            if (refused !== undefined || isWithinHandshake || error.code?.startsWith("ERR_SSL_") === true) {
                const advice = refused === undefined ? FEW : STOP;
                return new ConnectionFailed(`TLS with ${text}: ${why}`, advice, 0, { cause: error });
            }
        }
        const what = this.link === undefined ? `connect to ${text}` : `connection to ${text} lost`;
        const unanswered = this.link?.open === false;
        return new ConnectionFailed(`${what}: ${why}`, undefined, 0, { cause: error, unanswered });
    }

    #checkSecrecy(): void {
        const { token, tls: secure } = this.#settings;
        const address = this.#socket.remoteAddress;
        if (token === undefined || secure !== undefined || this.#endpoint.path !== "") {
            return;
        }
        if (address === undefined || !LOOPBACK.check(address, net.isIPv6(address) ? "ipv6" : "ipv4")) {
            throw new ConnectionFailed(
                `the token would go to ${address ?? "an unknown address"} over a link in the clear: use TLS`,
                STOP,
            );
        }
    }
}

function dial(endpoint: Endpoint, settings: ConnectionSettings): net.Socket {
    const { host, port, path } = endpoint;
    if (path !== "") {
        return net.connect({ path });
    }
    if (settings.tls === undefined) {
        return net.connect({ host, port, noDelay: true });
    }
    const expected = settings.tls.serverName ?? host;
    const socket = tls.connect({
        host,
        port,
        secureContext: settings.tls.context,
        // Names only: addresses do not go into SNI.
        servername: net.isIP(expected) === 0 ? expected : "",
        checkServerIdentity: (_, certificate) => tls.checkServerIdentity(expected, certificate),
    });
    return socket.setNoDelay(true);
}

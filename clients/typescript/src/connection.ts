/** One connection, from its start to its end. */
import * as net from "node:net";
import * as tls from "node:tls";

import { type Credentials, credentials } from "./credentials.js";
import { AGAIN, type Advice, BrokenRule, ConnectionFailed, FEW, STOP } from "./errors.js";
import type { Link } from "./link.js";
import type { ConnectionSettings, Endpoint } from "./options.js";
import { addressesOf, connectTo, Race } from "./race.js";
import * as wire from "./wire.js";

/** Bytes given to a socket at once while more waits. */
export const LARGEST_WRITE = 256 << 10;
/** Answers to PING that the relay does not take, in bytes. */
const MOST_UNREAD = 64 << 10;
/** Longest time for the last words of either side. */
export const LINGER_MS = 1_000;

// Alerts of TLS by which the relay refuses this client's certificate.
const CERTIFICATE_ALERT = /_ALERT_(.*CERTIFICATE.*|UNKNOWN_CA|ACCESS_DENIED)$/;

const LOOPBACK = new net.BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** A client that a connection tells of its states. An exception ends the connection. */
export interface Listener {
    /** The client's own certificate is read; undefined: there is none. Its end is in ms since 1970. */
    onCertificate(ends: number | undefined): void;
    /** The connection is made: its input, and the bytes to send first. */
    connect(endpoint: string, token: string | undefined): { link: Link; first: Buffer | undefined };
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
    // Until the connection is made to one of them: the addresses.
    #race: Race | undefined;
    // The one that answered; with TLS what goes through it.
    #socket: net.Socket | undefined;
    #resolve!: (why: unknown) => void;
    #over = false;
    #isOpen = false;
    #heard: number;
    // Time of the last PONG, or of WELCOME.
    #spoke = 0;
    #speaker: NodeJS.Timeout | undefined;
    #timer: NodeJS.Timeout;

    /**
     * Begins the connection.
     *
     * @param isFirst - the client's first one, to which other rules apply: see `credentials`
     */
    constructor(endpoint: Endpoint, settings: ConnectionSettings, isFirst: boolean, listener: Listener) {
        this.#endpoint = endpoint;
        this.#settings = settings;
        this.#listener = listener;
        this.ended = new Promise((resolve) => (this.#resolve = resolve));
        this.#heard = performance.now();
        this.#timer = setTimeout(() => {
            this.end(new ConnectionFailed(`no connection to ${endpoint.text} within ${settings.connectTimeoutMs} ms`));
        }, settings.connectTimeoutMs).unref();
        this.#start(isFirst).catch((why: unknown) => this.end(why));
    }

    get isOpen(): boolean {
        return this.#isOpen && !this.#over;
    }

    /** Sends these bytes, which must not change until `done` is called. It is not called if the connection ends. */
    write(parts: readonly Buffer[], done?: () => void): void {
        const socket = this.#socket;
        if (this.#over || socket === undefined || parts.length === 0) {
            return;
        }
        socket.cork();
        parts.forEach((part, i) => {
            socket.write(part, (error) => {
                if (i === parts.length - 1 && !error && !this.#over) {
                    done?.();
                }
            });
        });
        socket.uncork();
    }

    /** Ends the sending direction. */
    endWriting(): void {
        this.#socket?.end();
    }

    /** Until `resumeReading` the relay hears once a heartbeat interval that this client lives. */
    pauseReading(): void {
        this.#socket?.pause();
        this.#speak();
    }

    resumeReading(): void {
        if (this.#socket?.isPaused() === true) {
            this.#heard = performance.now();
            clearTimeout(this.#speaker);
            this.#socket.resume();
        }
    }

    /** Ends the connection, and drops what its socket has not taken. */
    abort(why: unknown): void {
        this.end(why);
        this.#socket?.destroy();
    }

    /** Closes in order, after telling the relay which rule it broke; in a bounded time. */
    async close(why: unknown = new ConnectionFailed("closed")): Promise<void> {
        this.end(why);
        this.#race?.cancel();
        const socket = this.#socket;
        if (socket === undefined) {
            return;
        }
        const closed = socket.closed || new Promise((resolve) => socket.once("close", resolve));
        if (this.link === undefined || socket.destroyed) {
            socket.destroy();
        } else {
            if (why instanceof BrokenRule && !this.#settings.plain) {
                socket.write(wire.error(why.code, why.message));
            }
            socket.destroySoon();
        }
        const linger = setTimeout(() => socket.destroy(), LINGER_MS);
        await closed;
        clearTimeout(linger);
    }

    async #start(isFirst: boolean): Promise<void> {
        const { host, port, path } = this.#endpoint;
        const proof = await credentials(this.#settings, isFirst);
        this.#listener.onCertificate(proof.certificateEnds);
        const addresses = this.#over ? [] : path === "" ? await this.#lookup(host) : [path];
        if (this.#over) {
            return;
        }
        this.#race = new Race(
            addresses,
            (address) => connectTo(path === "" ? { host: address, port } : { path }),
            (socket) => this.#reached(socket, proof),
            (causes) => this.end(this.#failure(causes)),
        );
    }

    async #lookup(host: string): Promise<readonly string[]> {
        try {
            return await addressesOf(host);
        } catch (e) {
            throw this.#failure([e]);
        }
    }

    /** One of the addresses has answered. */
    #reached(raw: net.Socket, { token, context }: Credentials): void {
        if (this.#over) {
            raw.destroy();
            return;
        }
        const { tls: given } = this.#settings;
        const expected = given?.serverName ?? this.#endpoint.host;
        const socket = (this.#socket =
            context === undefined
                ? raw
                : tls.connect({
                      socket: raw,
                      secureContext: context,
                      // Names only: addresses do not go into SNI.
                      servername: net.isIP(expected) === 0 ? expected : "",
                      checkServerIdentity: (_, certificate) => tls.checkServerIdentity(expected, certificate),
                  }));
        socket.on("data", (data: Buffer) => this.#received(data));
        socket.on("error", (error: NodeJS.ErrnoException) => this.end(this.#failure([error])));
        socket.on("end", () => this.end(this.#closedByRelay()));
        socket.on("close", () => this.end(this.#closedByRelay()));
        if (socket instanceof tls.TLSSocket) {
            socket.once("secureConnect", () => this.#made(socket, token));
        } else {
            this.#made(socket, token);
        }
    }

    #made(socket: net.Socket, token: string | undefined): void {
        if (this.#over) {
            return;
        }
        clearTimeout(this.#timer);
        this.#heard = performance.now();
        try {
            this.#checkSecrecy(socket, token);
            const { link, first } = this.#listener.connect(this.#endpoint.text, token);
            this.link = link;
            if (first !== undefined) {
                socket.write(first);
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
        const socket = this.#socket;
        if (this.#over || link === undefined || socket === undefined) {
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
        } else if (answer !== undefined && socket.writable) {
            if (socket.writableLength > MOST_UNREAD + LARGEST_WRITE) {
                this.end(new ConnectionFailed("the relay asks with PING and takes no answers"));
            } else {
                this.#spoke = performance.now();
                socket.write(answer);
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

    /** The PINGs of the relay lie behind what is not read: it would take this client for idle. */
    #speak(): void {
        clearTimeout(this.#speaker);
        const [socket, heartbeat] = [this.#socket, this.link?.heartbeatMs ?? Infinity];
        if (!this.isOpen || socket?.isPaused() !== true || heartbeat === Infinity) {
            return;
        }
        const now = performance.now();
        if (now - this.#spoke >= heartbeat) {
            this.#spoke = now;
            if (socket.writableLength <= MOST_UNREAD) {
                socket.write(wire.pong(0n));
            }
        }
        const left = Math.max(1, Math.ceil(this.#spoke + heartbeat - now));
        this.#speaker = setTimeout(() => this.#speak(), left).unref();
    }

    #opened(): void {
        if (!this.#isOpen && !this.#over) {
            this.#spoke = performance.now();
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
        if (this.#socket?.isPaused() === true) {
            // The silence is this side's own.
            this.#heard = now;
        }
        const left = this.#heard + patience - now;
        if (left > 0) {
            this.#timer = setTimeout(() => this.#watch(), Math.ceil(left)).unref();
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
            clearTimeout(this.#speaker);
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

    #failure(causes: readonly unknown[]): ConnectionFailed {
        const { text } = this.#endpoint;
        const why = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join("; ");
        const [cause] = causes;
        const advice = this.#adviceOfTls(cause);
        if (advice !== undefined) {
            return new ConnectionFailed(`TLS with ${text}: ${why}`, advice, 0, { cause });
        }
        const what = this.link === undefined ? `connect to ${text}` : `connection to ${text} lost`;
        const unanswered = this.link?.open === false;
        return new ConnectionFailed(`${what}: ${why}`, undefined, 0, { cause, unanswered });
    }

    /** What to do after a failure of TLS; undefined: it is none. */
    #adviceOfTls(cause: unknown): Advice | undefined {
        const socket = this.#socket;
        const given = this.#settings.tls;
        if (!(socket instanceof tls.TLSSocket) || given === undefined) {
            return undefined;
        }
        const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
        // Set if this side refuses the certificate.
        const refused = (socket.authorizationError as Error | string | null | undefined) ?? undefined;
        if (refused !== undefined) {
            // Another name stays so. What is expired, or of an authority that the file does not have, may be right a
            // second later: file or relay are being renewed.
            return given.ca === undefined || code === "ERR_TLS_CERT_ALTNAME_INVALID" ? STOP : AGAIN;
        }
        if (given.certificate !== undefined && CERTIFICATE_ALERT.test(code)) {
            return AGAIN;
        }
        return this.link === undefined || code.startsWith("ERR_SSL_") ? FEW : undefined;
    }

    #checkSecrecy({ remoteAddress: address }: net.Socket, token: string | undefined): void {
        if (token === undefined || this.#settings.tls !== undefined || this.#endpoint.path !== "") {
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

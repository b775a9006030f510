/** The way to a socket: of all addresses of a name, that which answers first. */
import { lookup } from "node:dns/promises";
import * as net from "node:net";

/** Time after which the next address is tried beside those before it: RFC 8305. */
export const NEXT_ADDRESS_MS = 250;

/** Silence after which the system asks whether the other end is there. */
const KEEP_ALIVE_MS = 15_000;

/** The addresses of a host in their order, but of both families in turn. */
export async function addressesOf(host: string): Promise<readonly string[]> {
    const found = net.isIP(host) === 0 ? (await lookup(host, { all: true })).map((one) => one.address) : [host];
    return inTurn(found);
}

export function inTurn(addresses: readonly string[]): readonly string[] {
    const family = net.isIP(addresses[0] ?? "");
    const [first, second] = [
        addresses.filter((one) => net.isIP(one) === family),
        addresses.filter((one) => net.isIP(one) !== family),
    ];
    return addresses.flatMap((_, i) => [...first.slice(i, i + 1), ...second.slice(i, i + 1)]);
}

/** Begins a connection; the system notices when the other end is gone, since a plain client has no PING. */
export function connectTo(where: net.NetConnectOpts): net.Socket {
    const socket = net.connect({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, ...where });
    // Whether the program goes on is its client's to say: see `Hold`.
    return socket.unref();
}

/**
 * Tries the addresses: the next one's turn comes when one before it has failed, or after a while. The first connection
 * wins, the others are closed. Has no deadline of its own.
 */
export class Race {
    readonly #open: (address: string) => net.Socket;
    readonly #won: (socket: net.Socket) => void;
    readonly #lost: (causes: readonly Error[]) => void;
    readonly #sockets = new Set<net.Socket>();
    readonly #causes: Error[] = [];
    #waiting: readonly string[];
    #timer: NodeJS.Timeout | undefined;
    #isOver = false;

    constructor(
        addresses: readonly string[],
        open: (address: string) => net.Socket,
        won: (socket: net.Socket) => void,
        lost: (causes: readonly Error[]) => void,
    ) {
        this.#waiting = addresses;
        this.#open = open;
        this.#won = won;
        this.#lost = lost;
        this.#next();
    }

    /** Closes all connections but the one that won. */
    cancel(): void {
        this.#isOver = true;
        clearTimeout(this.#timer);
        this.#sockets.forEach((socket) => socket.destroy());
    }

    #next(): void {
        clearTimeout(this.#timer);
        const [address, ...later] = this.#waiting;
        if (this.#isOver || address === undefined) {
            return;
        }
        this.#waiting = later;
        const socket = this.#open(address);
        this.#sockets.add(socket);
        let why: Error | undefined;
        socket.once("connect", () => {
            this.#sockets.delete(socket);
            this.cancel();
            this.#won(socket);
        });
        // Stays: a socket without a listener would end the process.
        socket.on("error", (error) => (why = error));
        socket.once("close", () => {
            if (this.#sockets.delete(socket) && !this.#isOver) {
                this.#failed(why ?? new Error(`${address}: closed before it was connected`));
            }
        });
        if (later.length > 0) {
            this.#timer = setTimeout(() => this.#next(), NEXT_ADDRESS_MS).unref();
        }
    }

    #failed(why: Error): void {
        this.#causes.push(why);
        if (this.#waiting.length > 0) {
            this.#next();
        } else if (this.#sockets.size === 0) {
            this.#isOver = true;
            this.#lost(this.#causes);
        }
    }
}

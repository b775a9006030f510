/** A relay that accepts connections one by one; the test plays each by hand. */
import * as net from "node:net";

import * as wire from "../src/wire.js";

export interface Frame {
    readonly type: number;
    readonly body: Buffer;
}

export class Accepted {
    readonly socket: net.Socket;
    readonly ended: Promise<void>;
    /** The relay closes when the client has ended its sending direction. */
    closes = true;
    #read = Buffer.alloc(0);
    #more: () => void = () => undefined;

    constructor(socket: net.Socket) {
        this.socket = socket;
        socket.on("error", () => undefined);
        socket.on("data", (data: Buffer) => {
            this.#read = Buffer.concat([this.#read, data]);
            this.#more();
        });
        socket.on("end", () => this.closes && socket.end());
        this.ended = new Promise((resolve) => socket.once("close", () => resolve()));
    }

    /** Bytes that were received, and not taken by `frame`. */
    get unread(): Buffer {
        return this.#read;
    }

    send(...frames: Buffer[]): void {
        this.socket.write(Buffer.concat(frames));
    }

    async frame(): Promise<Frame> {
        for (;;) {
            const length = this.#read.length < wire.HEADER ? Infinity : wire.HEADER + this.#read.readInt32BE(4);
            if (this.#read.length >= length) {
                const whole = this.#read.subarray(0, length);
                this.#read = this.#read.subarray(length);
                return { type: whole.readInt32BE(0), body: whole.subarray(wire.HEADER) };
            }
            await new Promise<void>((resolve) => (this.#more = resolve));
        }
    }

    /** Sends until the client takes no more for a while; the number of bytes that were given to the socket. */
    async flood(chunk: (round: number) => Buffer, most: number): Promise<{ rounds: number; isFull: boolean }> {
        for (let rounds = 0; rounds < most; rounds++) {
            if (!this.socket.write(chunk(rounds))) {
                const isFull = await new Promise<boolean>((resolve) => {
                    const timer = setTimeout(resolve, 500, true);
                    this.socket.once("drain", () => {
                        clearTimeout(timer);
                        resolve(false);
                    });
                });
                if (isFull) {
                    return { rounds: rounds + 1, isFull };
                }
            }
        }
        return { rounds: most, isFull: false };
    }

    cut(): void {
        this.socket.end();
    }
}

export class FakeRelay implements AsyncDisposable {
    readonly endpoint: string;
    readonly #server: net.Server;
    readonly #connections: net.Socket[] = [];
    readonly #accepted: net.Socket[] = [];
    #more: () => void = () => undefined;

    private constructor(server: net.Server) {
        this.#server = server;
        this.endpoint = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
        server.on("connection", (socket) => {
            this.#connections.push(socket);
            this.#accepted.push(socket);
            this.#more();
        });
    }

    static start(): Promise<FakeRelay> {
        const server = net.createServer({ noDelay: true, allowHalfOpen: true });
        return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(new FakeRelay(server))));
    }

    /** Number of connections that were made and not accepted. */
    get waiting(): number {
        return this.#accepted.length;
    }

    async acceptPlain(): Promise<Accepted> {
        for (;;) {
            const socket = this.#accepted.shift();
            if (socket !== undefined) {
                return new Accepted(socket);
            }
            await new Promise<void>((resolve) => (this.#more = resolve));
        }
    }

    /** Takes HELLO, and answers it. */
    async accept(...reply: Buffer[]): Promise<Accepted & { hello: Frame }> {
        const accepted = await this.acceptPlain();
        const hello = await accepted.frame();
        accepted.send(...reply);
        return Object.assign(accepted, { hello });
    }

    close(): void {
        this.#server.close();
    }

    [Symbol.asyncDispose](): Promise<void> {
        for (const socket of this.#connections) {
            socket.destroy();
        }
        return new Promise((resolve) => this.#server.close(() => resolve()));
    }
}

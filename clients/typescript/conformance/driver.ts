/** The driver of this library for the conformance kit: clients/conformance/README.md. */
import { createInterface } from "node:readline";

import * as relay from "../src/index.js";

interface Command {
    readonly command: string;
    readonly role?: string;
    readonly endpoints: string[];
    readonly plain?: boolean;
    readonly name?: string;
    readonly token?: string;
    readonly heartbeat_ms?: number;
    readonly connect_timeout_ms?: number;
    readonly handshake_timeout_ms?: number;
    readonly close_timeout_ms?: number;
    readonly max_body?: number;
    readonly buffer?: number;
    readonly reconnect?: { rounds: number; first_ms: number; longest_ms: number; jitter: number };
    readonly tls?: { ca: string; certificate?: string; key?: string; server_name?: string };
    readonly types?: relay.Range[];
    readonly start?: string;
    readonly epoch?: string;
    readonly sequence?: string;
    readonly time_ms?: string;
    readonly policy?: relay.Policy;
    readonly interval_ms?: number;
    readonly level?: relay.Level;
    readonly acks?: boolean;
    readonly producer?: string;
    readonly producer_file?: string;
    readonly first_number?: string;
    readonly type: number;
    readonly body: string;
    readonly count?: number;
    readonly stamp?: boolean;
    readonly wait_ms?: number;
    readonly ranges: relay.Range[];
}

function tell(event: string, fields: object = {}): void {
    const text = (_: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);
    process.stdout.write(`${JSON.stringify({ event, ...fields }, text)}\n`);
}

function tellError(error: unknown, command?: string): void {
    if (!(error instanceof relay.RelayError)) {
        throw error;
    }
    tell("error", { kind: error.kind, code: error.code, text: error.message, command });
}

function tellItem(item: relay.Item): void {
    switch (item.kind) {
        case "message":
            tell("message", { sequence: item.sequence, type: item.type, body: item.body.toString("base64") });
            break;
        case "gap":
            tell("gap", { from: item.from, to: item.to, reason: item.reason });
            break;
        case "streamChanged":
            tell("stream_changed", { lost_from: item.lostFrom });
            break;
        case "rolledBack":
            tell("rolled_back", { from: item.from, to: item.to });
            break;
        case "missed":
            tell("missed");
            break;
        case "stateBegins":
            // The kit's word for it is the field `anew` of `connected`.
            break;
        case "stateComplete":
            tell("state_complete", { next: item.next });
    }
}

function tellEvent(event: relay.Event): void {
    switch (event.kind) {
        case "connected": {
            const { kind, endpoint, plain, intervalMs, ...welcome } = event;
            tell(kind, plain ? { endpoint, plain } : { endpoint, plain, interval_ms: intervalMs, ...welcome });
            break;
        }
        case "stateLate":
            tell("state_late");
            break;
        case "certificate":
            tell("certificate", { days: event.days });
            break;
        case "lost":
            tell("lost", { code: event.error.code, text: event.error.message });
            break;
        case "goingAway":
            tell("going_away", { code: event.code, closes_in_ms: event.closesInMs });
            break;
        case "inDoubt":
            tell("in_doubt", { messages: event.messages.toString() });
            break;
        default:
        // Items are told in the stream, the end by who waits for it.
    }
}

function tellPublishersEvent(event: relay.Event): void {
    if (event.kind === "streamChanged") {
        tell("stream_changed");
    } else if (event.kind === "rolledBack") {
        tellItem(event);
    } else if (event.kind === "gaveUp") {
        tellError(event.error);
    } else {
        tellEvent(event);
    }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the fields that are absent. */
function given<T extends object>(fields: T): Partial<Defined<T>> {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
}

function connectionOptions(command: Command): relay.ConnectionOptions & { buffer?: number } {
    const { reconnect, tls } = command;
    return {
        endpoints: command.endpoints,
        ...given({
            plain: command.plain,
            name: command.name,
            token: command.token,
            heartbeatMs: command.heartbeat_ms,
            connectTimeoutMs: command.connect_timeout_ms,
            handshakeTimeoutMs: command.handshake_timeout_ms,
            maxBody: command.max_body,
            buffer: command.buffer,
        }),
        ...(reconnect && {
            reconnect: {
                rounds: reconnect.rounds === -1 ? Infinity : reconnect.rounds,
                firstMs: reconnect.first_ms,
                longestMs: reconnect.longest_ms,
                jitter: reconnect.jitter,
            },
        }),
        ...(tls && {
            tls: {
                ca: tls.ca,
                ...given({ certificate: tls.certificate, key: tls.key, serverName: tls.server_name }),
            },
        }),
    };
}

function startOf(command: Command): relay.Start {
    switch (command.start) {
        case "sequence":
            return { sequence: BigInt(command.sequence ?? "0"), epoch: BigInt(command.epoch ?? "0") };
        case "state":
            return { state: BigInt(command.sequence ?? "0"), epoch: BigInt(command.epoch ?? "0") };
        case "time":
            return { time: new Date(Number(command.time_ms)) };
        default:
            return (command.start ?? "live") as "live" | "earliest";
    }
}

function subscriberOptions(command: Command): relay.SubscriberOptions {
    return {
        ...connectionOptions(command),
        ...given({
            types: command.types,
            policy: command.policy,
            intervalMs: command.interval_ms,
            level: command.level,
        }),
        start: startOf(command),
        onEvent: tellEvent,
    };
}

function publisherOptions(command: Command): relay.PublisherOptions {
    const { producer, epoch, first_number: firstNumber } = command;
    return {
        ...connectionOptions(command),
        ...given({
            acks: command.acks,
            level: command.level,
            producerFile: command.producer_file,
            closeTimeoutMs: command.close_timeout_ms,
            producer: producer === undefined ? undefined : Buffer.from(producer, "hex"),
            epoch: epoch === undefined ? undefined : BigInt(epoch),
            firstNumber: firstNumber === undefined ? undefined : BigInt(firstNumber),
        }),
        onEvent: tellPublishersEvent,
        onAck: (number, sequence) => {
            tell("acked", { number, sequence });
        },
    };
}

let subscriber: relay.Subscriber | undefined;
let publisher: relay.Publisher | undefined;
let reading: Promise<void> | undefined;
// Set while a pause lasts.
let paused: Promise<void> | undefined;
let goOn: () => void = () => undefined;

async function read(from: relay.Subscriber): Promise<void> {
    try {
        for await (const item of from) {
            await paused;
            tellItem(item);
        }
    } catch (e) {
        tellError(e);
    }
}

async function publish(to: relay.Publisher, command: Command): Promise<void> {
    const body = Buffer.from(command.body, "base64");
    const { count = 1, wait_ms: wait = 60_000 } = command;
    let taken = 0;
    for (; taken < count; taken++) {
        if (command.stamp === true) {
            body.writeBigInt64BE(BigInt(taken));
        }
        if (!(await to.publish(command.type, body, wait))) {
            break;
        }
    }
    tell("published", { taken, full: taken < count });
}

async function flush(command: Command): Promise<void> {
    let settled = false;
    try {
        settled = await publisher!.flush(command.wait_ms);
    } catch (e) {
        if (!(e instanceof relay.NotDone)) {
            throw e;
        }
    }
    tell("flushed", { settled });
}

async function close(): Promise<void> {
    const [reader, writer] = [subscriber, publisher];
    subscriber = publisher = paused = undefined;
    goOn();
    await reader?.close();
    await reading;
    reading = undefined;
    const unsettled = (await writer?.close()) ?? 0;
    tell("closed", { unsettled: unsettled.toString() });
}

function open(command: Command): void {
    // Nothing is told of a client before the next turn of the event loop.
    if (command.role === "subscriber") {
        subscriber = new relay.Subscriber(subscriberOptions(command));
        reading = read(subscriber);
    } else {
        publisher = new relay.Publisher(publisherOptions(command));
    }
    tell("opened");
}

function counters(): void {
    const count = (value: number | bigint): string => value.toString();
    if (subscriber !== undefined) {
        const { messages, bytes, epoch, next, head } = subscriber;
        tell("counters", { messages: count(messages), bytes: count(bytes), epoch, next, head });
    } else if (publisher !== undefined) {
        const { messages, bytes, settled, confirmed, firstNumber } = publisher;
        tell("counters", {
            messages: count(messages),
            bytes: count(bytes),
            settled: count(settled),
            confirmed: count(confirmed),
            first_number: firstNumber,
        });
    }
}

async function obey(command: Command): Promise<void> {
    switch (command.command) {
        case "open":
            open(command);
            break;
        case "publish":
            await publish(publisher!, command);
            break;
        case "types":
            tell("types", { sequence: await subscriber!.types(command.ranges) });
            break;
        case "flush":
            await flush(command);
            break;
        case "pause":
            paused = new Promise((resolve) => (goOn = resolve));
            tell("paused");
            break;
        case "resume":
            goOn();
            paused = undefined;
            tell("resumed");
            break;
        case "counters":
            counters();
            break;
        case "close":
            await close();
    }
}

tell("ready", {
    client: "typescript",
    version: "0.1.0",
    capabilities: [
        ..."subscriber publisher plain levels types tls token unix endpoints producer_file pause time".split(" "),
        ..."state peer certificate".split(" "),
    ],
});
for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line) as Command;
    const obeyed = obey(command).catch((e: unknown) => {
        tellError(e, command.command);
    });
    if (command.command !== "types") {
        // The kit goes on before that answer comes.
        await obeyed;
    }
}
process.exit(0);

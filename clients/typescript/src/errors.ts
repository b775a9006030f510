/**
 * The ends of connections and calls, and what a client does about each.
 *
 * @module
 */

// Codes of ERROR that this library itself finds or handles: docs/protocol.md, "Errors".
export const NEGATIVE_LENGTH = 4;
export const OVERSIZED_LENGTH = 5;
export const SHUTDOWN = 10;
export const MALFORMED_CONTROL = 12;
export const UNSUPPORTED = 13;
export const PROTOCOL_ORDER = 15;
export const MESSAGE_GAP = 23;
export const NOT_AUTHENTICATED = 28;
export const TLS_KEY_USED_UP = 33;

/** Names of the codes of ERROR; the index is the code. */
export const CODE_NAMES: readonly string[] = [
    ..."NONE PEER_CLOSED CONNECTION_LOST TRUNCATED_FRAME NEGATIVE_LENGTH OVERSIZED_LENGTH RESERVED_TYPE".split(" "),
    ..."UNEXPECTED_INPUT SLOW_SUBSCRIBER STALLED_SUBSCRIBER SHUTDOWN INTERNAL_ERROR MALFORMED_CONTROL".split(" "),
    ..."UNSUPPORTED WRONG_ROLE PROTOCOL_ORDER HANDSHAKE_TIMEOUT IDLE_TIMEOUT TOO_MANY_CONNECTIONS".split(" "),
    ..."TOO_MANY_PUBLISHERS NAME_TAKEN BAD_START TOO_MANY_NAMES MESSAGE_GAP NAME_HELD MEMORY_LIMIT".split(" "),
    ..."FRAME_TIMEOUT TOO_MANY_FROM_ADDRESS NOT_AUTHENTICATED NOT_PERMITTED REVOKED TLS_FAILED RATE_LIMITED".split(" "),
    ..."TLS_KEY_USED_UP JOURNAL_FAILED".split(" "),
];

/** Advice after the end of a connection: stop; or try again, a few times only, after the longest wait. */
export interface Advice {
    readonly stop?: boolean;
    readonly few?: boolean;
    readonly slow?: boolean;
}

export const STOP: Advice = { stop: true };
export const AGAIN: Advice = {};
export const SLOWLY: Advice = { slow: true };
export const FEW: Advice = { few: true };
export const FEW_SLOWLY: Advice = { few: true, slow: true };

const ADVICE = new Map<number, Advice>([
    ...[1, 2, 3, 8, 9, 10, 11, 16, 17, 25, 26, 30, 33, 34].map((code): [number, Advice] => [code, AGAIN]),
    ...[18, 19, 27, 32].map((code): [number, Advice] => [code, SLOWLY]),
    ...[4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29].map((code): [number, Advice] => [code, STOP]),
    [24, FEW_SLOWLY],
]);

/**
 * `retry`: connecting again may help. `fatal`: the same would happen again. `yours`: the call or option breaks a rule.
 */
export type ErrorKind = "retry" | "fatal" | "yours";

/** Base of this library's errors. */
export abstract class RelayError extends Error {
    /** Sort of the error. */
    abstract readonly kind: ErrorKind;
    /** Code of the relay's ERROR, or of the rule that the relay broke; 0: none. */
    readonly code: number = 0;
}

/** A call or an option breaks a rule. It was refused before anything was sent; the client goes on. */
export class UsageError extends RelayError {
    override readonly name = "UsageError";
    readonly kind = "yours";
}

/** A connection was lost, or none could be made. */
export class ConnectionFailed extends RelayError {
    override readonly name: string = "ConnectionFailed";
    /** `fatal` if another try cannot help. */
    readonly kind: "retry" | "fatal";
    override readonly code: number;
    /** @internal */
    readonly advice: Advice;
    /**
     * The relay ended the connection without an ERROR before its WELCOME.
     *
     * @internal
     */
    readonly unanswered: boolean;

    /** @internal */
    constructor(
        text: string,
        advice: Advice = AGAIN,
        code = 0,
        more: { readonly unanswered?: boolean; readonly cause?: unknown } = {},
    ) {
        super(text, more.cause === undefined ? undefined : { cause: more.cause });
        this.advice = advice;
        this.code = code;
        this.kind = advice.stop === true ? "fatal" : "retry";
        this.unanswered = more.unanswered ?? false;
    }
}

/** The relay broke a rule of the protocol; it is told so as the connection is closed. */
export class BrokenRule extends ConnectionFailed {
    override readonly name = "BrokenRule";

    /** @internal */
    constructor(code: number, text: string) {
        // A fault that may pass, or no relay at all. But a message over the limit is still in the stream, and an
        // unknown frame comes again.
        super(text, code === OVERSIZED_LENGTH || code === UNSUPPORTED ? STOP : FEW, code);
    }
}

/**
 * Messages that a publisher has taken are not done: SPEC.md, "When a publisher is done". Without ACKS they are in doubt,
 * or were not sent; with ACKS they are not acknowledged; plain, the socket has not taken them.
 *
 * `kind` and `code` are those of `cause`, if there is one.
 */
export class NotDone extends RelayError {
    override readonly name = "NotDone";
    readonly kind: ErrorKind;
    override readonly code: number;
    /** Number of messages that are not done; those in doubt are among them. */
    readonly messages: number;
    /** Number of messages that were sent without ACKS, and that the relay has not confirmed. It may lack them. */
    readonly inDoubt: number;

    /** @internal */
    constructor(text: string, messages: number, inDoubt: number, cause?: RelayError) {
        super(cause === undefined ? text : `${text}: ${cause.message}`, cause && { cause });
        this.kind = cause?.kind ?? "retry";
        this.code = cause?.code ?? 0;
        this.messages = messages;
        this.inDoubt = inDoubt;
    }
}

/** The error for the relay's ERROR; an unknown code is worth a few tries. */
export function fromRelay(code: number, text: string, who = "the relay"): ConnectionFailed {
    return new ConnectionFailed(`${who}: ${nameOf(code)}: ${printable(text)}`, ADVICE.get(code) ?? FEW, code);
}

/** A code in words. */
export function nameOf(code: number): string {
    return `${CODE_NAMES[code] ?? "unknown"} (${code})`;
}

/** A peer's text, short and without control characters. */
export function printable(text: string): string {
    return text.slice(0, 512).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

/** The next endpoint to connect to, and the wait before it. No clock: times are parameters, in ms. */
import { AGAIN, type Advice, ConnectionFailed, SHUTDOWN, TLS_KEY_USED_UP } from "./errors.js";
import type { Endpoint, Reconnect } from "./options.js";

/** Ends before WELCOME in a row that say that the relay may know no HELLO; fewer may be a start or stop. */
const UNANSWERED = 3;
/** Failures in a row of a kind for which another try is only a hope. */
export const MOST_HOPES = 5;
/** Doublings after which every wait is the longest. */
const MOST_DOUBLINGS = 30;
const STEADY_MS = 10_000;

/**
 * After a connection that worked the same endpoint comes first, since its relay holds the next messages. The next one's
 * turn comes after GOAWAY, after a failed try, and if a relay cuts one connection after the other.
 */
export class Reconnector {
    readonly #endpoints: readonly Endpoint[];
    readonly #policy: Required<Reconnect>;
    readonly #uniform: () => number;
    readonly #steadyAfterMs: number;
    #index = 0;
    // The first round comes without a wait, and does not count as one of the policy's.
    #beginning = true;
    #tries = 0;
    #hopes = 0;
    #welcomedAt = 0;
    #progressed = false;
    #steady = false;
    #shortLived = 0;
    #leaving = false;
    // RETRY_AFTER of the present connection, and the earliest times that follow, by endpoint.
    #toldMs: number | undefined;
    readonly #notBefore = new Map<number, number>();
    #everWelcomed = false;
    #unanswered = 0;

    constructor(endpoints: readonly Endpoint[], policy: Required<Reconnect>, uniform: () => number = Math.random) {
        this.#endpoints = endpoints;
        this.#policy = policy;
        this.#uniform = uniform;
        this.#steadyAfterMs = Math.min(policy.longestMs, STEADY_MS);
        // The first try has its place in the first round.
        this.#wait(AGAIN);
    }

    /** The endpoint that is connected, or next. */
    get current(): Endpoint {
        return this.#endpoints[this.#index]!;
    }

    /** Takes note of WELCOME, or of a plain connection. */
    welcomed(now: number): void {
        this.#everWelcomed = true;
        this.#welcomedAt = now;
        if (this.#beginning) {
            this.#beginning = false;
            this.#tries = 0;
        }
    }

    /**
     * Takes note of input behind WELCOME. The count starts anew only if the connection has lived for a while by then: a
     * relay that welcomes, sends a message and closes would be tried for ever otherwise.
     */
    progressed(now: number): void {
        this.#progressed = true;
        if (!this.#steady && now - this.#welcomedAt >= this.#steadyAfterMs) {
            this.#steady = true;
            this.#shortLived = 0;
            this.#tries = 0;
            this.#hopes = 0;
        }
    }

    /** Takes note of GOAWAY. If only the connection's TLS key is used up, the same endpoint comes next. */
    leaving(code: number): void {
        this.#leaving = code !== TLS_KEY_USED_UP;
    }

    /** Takes note of RETRY_AFTER: the time counts from the end of the connection. */
    retryAfter(waitMs: number): void {
        this.#toldMs = waitMs;
    }

    /** The end with a guess at its cause, if relays keep on ending connections before any WELCOME. */
    explained(end: ConnectionFailed): ConnectionFailed {
        this.#unanswered = end.unanswered ? this.#unanswered + 1 : 0;
        if (this.#everWelcomed || this.#unanswered < UNANSWERED) {
            return end;
        }
        return new ConnectionFailed(
            `${end.message}; ${this.#unanswered} in a row before any WELCOME: the relay may know no HELLO, then use ` +
                "plain: true",
            end.advice,
            end.code,
            { cause: end },
        );
    }

    /** Takes note of a failed try or a lost connection: the wait before the next try, or the reason to give up. */
    failed(end: ConnectionFailed, now: number): number | ConnectionFailed {
        const told = this.#toldMs;
        this.#toldMs = undefined;
        if (told !== undefined) {
            this.#notBefore.set(this.#index, now + this.#toldWait(told));
        }
        this.#shortLived = this.#progressed && !this.#steady ? this.#shortLived + 1 : 0;
        if (
            !this.#progressed ||
            this.#shortLived > 1 ||
            this.#leaving ||
            end.advice !== AGAIN ||
            end.code === SHUTDOWN
        ) {
            this.#index = (this.#index + 1) % this.#endpoints.length;
        }
        this.#progressed = this.#steady = this.#leaving = false;
        const wait = this.#wait(end.advice, told !== undefined);
        return wait === undefined ? end : Math.max(wait, (this.#notBefore.get(this.#index) ?? now) - now);
    }

    /** The wait before the next try of an endpoint whose relay has told a time. */
    #toldWait(told: number): number {
        const { longestMs, jitter } = this.#policy;
        const share = jitter * this.#uniform();
        return told > longestMs ? longestMs * (1 - share) : Math.min(longestMs, told * (1 + share));
    }

    /** @param told - a time that the relay has told takes the place of the longest wait */
    #wait(advice: Advice, told = false): number | undefined {
        if (advice.stop === true) {
            return undefined;
        }
        if (advice.few === true) {
            this.#hopes++;
            if (this.#hopes > MOST_HOPES) {
                return undefined;
            }
        }
        const { rounds, firstMs, longestMs, jitter } = this.#policy;
        const place = this.#tries % this.#endpoints.length;
        const turn = Math.floor(this.#tries / this.#endpoints.length) - (this.#beginning ? 1 : 0);
        if (turn >= rounds) {
            return undefined;
        }
        this.#tries++;
        if (place !== 0 || turn < 0) {
            return 0;
        }
        const doubled = firstMs * 2 ** Math.min(turn, MOST_DOUBLINGS);
        const delay = advice.slow === true && !told ? longestMs : Math.min(longestMs, doubled);
        return delay * (1 - jitter * this.#uniform());
    }
}

/** What a client tells by itself. */
import type { Event } from "./events.js";

/**
 * A hook for a program without one: it tells the first failure to connect, and the first success after it, in a line
 * each. So a program that waits for a relay at the wrong port does not do it in silence. It also tells a certificate
 * that ends, and a state that is late.
 */
export function tellFirstSlip(
    // On stderr, as all of it: stdout is the program's.
    warn: (text: string) => void = (text) => console.warn(text),
): (event: Event) => void {
    let state: "unseen" | "failed" | "over" = "unseen";
    let isConnected = false;
    return (event) => {
        if (event.kind === "connected") {
            isConnected = true;
            if (state === "failed") {
                state = "over";
                warn(`relay: connected to ${event.endpoint}`);
            }
        } else if (event.kind === "lost") {
            if (!isConnected && state === "unseen") {
                state = "failed";
                warn(`relay: not connected yet, and trying on: ${event.error.message}`);
            }
            isConnected = false;
        } else if (event.kind === "certificate") {
            warn(`relay: ${certificateInWords(event.days)}`);
        } else if (event.kind === "stateLate") {
            warn(
                `relay: the state from ${event.endpoint} is not complete after ${event.seconds} s: its types change ` +
                    "faster than they are taken here",
            );
        }
    };
}

function certificateInWords(days: number): string {
    return days > 0
        ? `the client's certificate ends within ${days} day${days === 1 ? "" : "s"}`
        : "the client's certificate has ended";
}

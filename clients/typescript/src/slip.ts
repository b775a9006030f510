/** What a client tells by itself. */
import type { Event } from "./events.js";

/**
 * A hook for a program without one: it tells the first failure to connect, and the first success after it, in a line
 * each. So a program that waits for a relay at the wrong port does not do it in silence.
 */
export function tellFirstSlip(warn: (text: string) => void = (text) => console.warn(text)): (event: Event) => void {
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
        }
    };
}

/** Clients and the end of the program. */

/** Longer timers are none. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Keeps the program alive while it is on. Sockets and timers of a client never do: so the client says in one place
 * whether there is a reason.
 */
export class Hold {
    readonly #timer = setInterval(() => undefined, LONGEST_MS);

    set isOn(isOn: boolean) {
        if (isOn) {
            this.#timer.ref();
        } else {
            this.#timer.unref();
        }
    }

    /** Off for good. */
    end(): void {
        clearInterval(this.#timer);
    }
}

/** A client with something that the end of the program would lose. */
export interface Unfinished {
    /** The program has nothing else to do: what is left is done now, in a bounded time. */
    finish(): void;
    /** What is lost, in words; undefined: nothing. */
    readonly loss: string | undefined;
}

const open = new Set<Unfinished>();

function finishAll(): void {
    open.forEach((client) => client.finish());
}

function tellLosses(): void {
    for (const { loss } of open) {
        if (loss !== undefined) {
            console.warn(loss);
        }
    }
}

/** Takes note of a client until `ended`. */
export function begun(client: Unfinished): void {
    if (open.size === 0) {
        process.on("beforeExit", finishAll);
        process.on("exit", tellLosses);
    }
    open.add(client);
}

export function ended(client: Unfinished): void {
    if (open.delete(client) && open.size === 0) {
        process.off("beforeExit", finishAll);
        process.off("exit", tellLosses);
    }
}

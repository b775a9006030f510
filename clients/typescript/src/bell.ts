/** Wakes all that wait for it. */
export class Bell {
    readonly #waiting = new Set<() => void>();

    ring(): void {
        for (const wake of this.#waiting) {
            wake();
        }
    }

    /**
     * Waits until the condition holds; it is looked at now, and when the bell rings.
     *
     * @returns whether it holds; `false`: the time is over
     */
    until(condition: () => boolean, timeoutMs = Infinity): Promise<boolean> {
        if (condition() || timeoutMs <= 0) {
            return Promise.resolve(condition());
        }
        return new Promise((resolve) => {
            let timer: NodeJS.Timeout | undefined;
            const end = (holds: boolean): void => {
                clearTimeout(timer);
                this.#waiting.delete(wake);
                resolve(holds);
            };
            const wake = (): void => {
                if (condition()) {
                    end(true);
                }
            };
            if (timeoutMs < 2 ** 31) {
                timer = setTimeout(end, timeoutMs, false);
            }
            this.#waiting.add(wake);
        });
    }
}

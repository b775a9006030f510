/** The end of the client's own certificate: of which days is told. No clock: times are parameters, in ms since 1970. */
const DAY_MS = 86_400_000;
/** Days before the end that are told once each; 0: it has ended. */
const TOLD_AT = [0, 1, 7, 30];

export class Expiry {
    #ends: number | undefined;
    #told = Infinity;

    /**
     * Takes note of the certificate of a connection.
     *
     * @param ends - its end; undefined: there is none
     */
    certificate(ends: number | undefined): void {
        if (ends !== this.#ends) {
            this.#ends = ends;
            this.#told = Infinity;
        }
    }

    /** The days to the end, those that are begun, if they are to be told now. */
    due(now: number): number | undefined {
        if (this.#ends === undefined) {
            return undefined;
        }
        const left = (this.#ends - now) / DAY_MS;
        // Adding 0 makes 0 of -0.
        const days = (left > 0 ? Math.ceil(left) : Math.trunc(left)) + 0;
        const at = TOLD_AT.find((most) => days <= most);
        if (at === undefined || at >= this.#told) {
            return undefined;
        }
        this.#told = at;
        return days;
    }
}

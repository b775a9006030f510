/** What a client has in common with a relay that does not know its epoch, such as behind an older backup. */
import { AGAIN, ConnectionFailed } from "./errors.js";
import type { Life } from "./wire.js";

/** The newest life of both, with the older ones of mine; what has a number below `changed` is the same in both. */
export interface Common {
    readonly rest: readonly [Life, ...Life[]];
    readonly changed: bigint;
}

/**
 * The newest life but the first of mine that is among theirs. Both have the newest one first.
 *
 * @returns undefined: the streams have none in common
 */
export function inCommon(mine: readonly Life[], theirs: readonly Life[]): Common | undefined {
    for (const [i, life] of mine.entries()) {
        const there = theirs.findIndex((one) => one.epoch === life.epoch);
        if (i > 0 && there >= 0) {
            const [first, ...older] = mine.slice(i);
            const later = [...mine.slice(0, i), ...theirs.slice(0, there)];
            const changed = later.reduce((lowest, one) => (one.first < lowest ? one.first : lowest), later[0]!.first);
            return { rest: [first!, ...older], changed };
        }
    }
    return undefined;
}

/** The relay is asked again at once, by another HELLO; the user does not hear of the end of this connection. */
export class AskedAgain extends ConnectionFailed {
    constructor(text: string) {
        super(text, AGAIN);
    }
}

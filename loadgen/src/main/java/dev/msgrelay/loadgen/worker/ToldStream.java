package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.SubscriberResult.Told;

/**
 * Whether what a relay tells of the stream agrees with what comes: each GAP begins at the message that would have been next,
 * and so does each PING say. The subscriber's thread owns it.
 */
final class ToldStream {
    private static final long UNKNOWN = -1;

    private long next = UNKNOWN;
    private long missed;
    private long gaps;
    private long untrue;

    /** The next message's sequence, as WELCOME tells it; who is told nothing counts on its own. */
    void startAt(long first) {
        next = first;
    }

    boolean hasBegun() {
        return next != UNKNOWN;
    }

    void messages(int messages) {
        next += messages;
    }

    void gap(long from, long to) {
        stands(from);
        missed += to - from + 1;
        gaps++;
        next = to + 1;
    }

    /** PING: where the stream stands; 0: it does not say. */
    void stands(long at) {
        if (at != next && at != 0) {
            untrue++;
            next = at;
        }
    }

    Told all() {
        return new Told(missed, gaps, untrue);
    }

    /** Messages that were told not to come. */
    long missed() {
        return missed;
    }
}

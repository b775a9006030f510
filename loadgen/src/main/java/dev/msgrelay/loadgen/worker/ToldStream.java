package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.SubscriberResult.Told;

/** Compares the next sequence in each GAP and PING with the messages that come. The subscriber's thread owns it. */
final class ToldStream {
    private static final long UNKNOWN = -1;

    private long next = UNKNOWN;
    private long missed;
    private long gaps;
    private long untrue;

    /** Begins at the next message's sequence, which WELCOME tells; without WELCOME it is 1. */
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

    /** Notes the next sequence that a PING names; 0: none. */
    void stands(long at) {
        if (at != next && at != 0) {
            untrue++;
            next = at;
        }
    }

    Told all() {
        return new Told(missed, gaps, untrue);
    }

    long missed() {
        return missed;
    }
}

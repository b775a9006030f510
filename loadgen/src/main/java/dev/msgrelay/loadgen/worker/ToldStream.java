package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.SubscriberResult.Told;

/**
 * Checks the relay's reports: compares the next sequence number in each GAP and PING with the messages that arrived.
 * The subscriber's thread owns it.
 */
final class ToldStream {
    private static final long UNKNOWN = -1;

    private long next = UNKNOWN;
    private long missed;
    private long gaps;
    private long untrue;
    private long passedOver;

    /** Sets the sequence number of the first message, which WELCOME contains; without HELLO it is 1. */
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

    /** The relay passed over messages, in favour of newer ones of their types. */
    void passedOver(long from, long to) {
        stands(from);
        passedOver += to - from + 1;
        next = to + 1;
    }

    void stands(long at) {
        if (at != next && at != 0) {
            untrue++;
            next = at;
        }
    }

    Told all() {
        return new Told(missed, gaps, untrue);
    }

    long passedOver() {
        return passedOver;
    }

    long missed() {
        return missed;
    }
}

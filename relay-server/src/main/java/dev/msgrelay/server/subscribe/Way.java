package dev.msgrelay.server.subscribe;

import java.util.concurrent.TimeUnit;

/** The way of a subscriber from the journal to the head: when and where it began, and the head then. */
record Way(long nanos, long position, long head) {
    int percent(long at, long headNow) {
        return headNow <= position ? 100 : (int) Math.max(0, 100 * (at - position) / (headNow - position));
    }

    /** Returns how long the rest of the way takes at the pace so far, in ms; -1: for ever, or nobody knows. */
    long leftMillis(long at, long headNow, long nowNanos) {
        double seconds = (nowNanos - nanos) / (double) TimeUnit.SECONDS.toNanos(1);
        double gain = (at - position) - (headNow - head);
        return gain <= 0 ? -1 : Math.round(1000 * seconds * Math.max(0, headNow - at) / gain);
    }
}

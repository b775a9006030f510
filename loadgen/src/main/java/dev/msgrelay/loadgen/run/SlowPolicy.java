package dev.msgrelay.loadgen.run;

import java.util.Locale;

/** What the relay does with a slow subscriber, as far as it explains a loss. */
public enum SlowPolicy {
    /** Publishers wait: nothing may be lost. */
    BACKPRESSURE,
    /** A slow subscriber is cut off: it may miss the tail. */
    DISCONNECT,
    /** A slow subscriber is moved on: it may miss anything, but never twice and never out of order. */
    SKIP;

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

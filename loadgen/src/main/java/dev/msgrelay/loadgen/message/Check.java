package dev.msgrelay.loadgen.message;

import java.util.Locale;

/** How much subscribers check. */
public enum Check {
    /**
     * Subscribers check every byte, and that each message arrives once and in order. The controller also checks that
     * all subscribers got the same order.
     */
    FULL,

    /** Subscribers only count bytes. The number of messages is computed from their mean size. */
    NONE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

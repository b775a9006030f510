package dev.msgrelay.loadgen.message;

import java.util.Locale;

/** The amount of checking by subscribers. */
public enum Check {
    /** Subscribers check every byte, that each message comes once and in order, and that all of them get one order. */
    FULL,

    /** Subscribers only count bytes; the number of messages follows from their mean size. */
    NONE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

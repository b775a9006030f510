package dev.msgrelay.loadgen.message;

import java.util.Locale;

/** The amount of checking by subscribers. */
public enum Check {
    /** Every byte of every message, that each came once and in its order, and that all subscribers got one order. */
    FULL,

    /**
     * Nothing: bytes are counted, and frames are not even walked through. The number of messages follows from their mean
     * size.
     */
    NONE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package dev.msgrelay.loadgen.bound;

import java.util.Locale;

/** How well the numbers support what is said. */
public enum Confidence {
    /** Two independent signals agree. */
    HIGH,
    /** One signal says so, and none contradicts it. */
    MEDIUM,
    /** It is what is left, or others are nearly as likely. */
    LOW;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

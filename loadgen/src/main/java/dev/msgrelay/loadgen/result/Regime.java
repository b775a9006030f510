package dev.msgrelay.loadgen.result;

import java.util.Locale;

/** How far the machine's cores were from each other, which a virtual machine's host may change at any time. */
public enum Regime {
    NEAR,
    FAR,
    /** Not the same before and after the run. */
    CHANGED,
    /** Somebody else wanted the cores. */
    DISTURBED,
    /** Not measured, or one core only. */
    UNKNOWN;

    /** Between the two that are seen, about 45 and 230 ns: their geometric mean. */
    private static final double NEAR_NANOS = 100;

    /** Hops that differ by more than this were taken on differently placed cores. */
    private static final double SAME = 1.6;

    /** No two cores are so far apart: one of the two threads had lost its core. */
    private static final double BUSY_NANOS = 2_000;

    /**
     * @param before nanoseconds from core to core right before the run; NaN when not measured
     * @param after right after it
     */
    public static Regime of(double before, double after) {
        if (Double.isNaN(before) || Double.isNaN(after)) {
            return UNKNOWN;
        }
        double most = Math.max(before, after);
        double least = Math.min(before, after);
        if (most > BUSY_NANOS) {
            return DISTURBED;
        }
        if (most > SAME * least) {
            return CHANGED;
        }
        return Math.sqrt(most * least) <= NEAR_NANOS ? NEAR : FAR;
    }

    /** Whether a run's figures may be set against others'. */
    public boolean isSteady() {
        return this != CHANGED && this != DISTURBED;
    }

    /** As the files name it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

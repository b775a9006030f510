package dev.msgrelay.loadgen.measure;

import java.util.Arrays;

/** Whether a machine stayed the same between core-to-core hops. Hops are in nanoseconds. */
public final class Regime {
    /** Hops that differ by more than this were taken on differently placed cores ("near" and "far"). */
    private static final double SAME = 1.6;

    /** No two cores of a machine are so far apart: one of the two threads had lost its core to somebody else. */
    private static final double BUSY_NANOS = 2_000;

    private Regime() {}

    /** Whether figures that were taken between these hops may be compared. */
    public static boolean isSteady(double... hops) {
        return !isDisturbed(hops)
                && max(hops) <= SAME * Arrays.stream(hops).min().orElseThrow();
    }

    /** Whether somebody else wanted the cores: a hop then waits for the scheduler. */
    public static boolean isDisturbed(double... hops) {
        return max(hops) > BUSY_NANOS;
    }

    private static double max(double... hops) {
        return Arrays.stream(hops).max().orElseThrow();
    }
}

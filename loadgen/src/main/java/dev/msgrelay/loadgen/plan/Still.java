package dev.msgrelay.loadgen.plan;

/**
 * Times in which nothing happened within a window, in nanoseconds.
 *
 * @param longestNanos longest stretch; 0 where it is not known
 * @param count number of stretches of 100 ms or longer
 * @param totalNanos sum of these stretches
 */
public record Still(long longestNanos, long count, long totalNanos) {
    public static final Still NONE = new Still(0, 0, 0);

    public double longestMillis() {
        return longestNanos / 1e6;
    }

    public Still orLonger(Still other) {
        return longestNanos >= other.longestNanos ? this : other;
    }

    /** Whether the longest stretch, or all together, are at least half of {@code nanos}. */
    public boolean explains(long nanos, boolean longest) {
        return 2 * (longest ? longestNanos : totalNanos) >= nanos;
    }
}

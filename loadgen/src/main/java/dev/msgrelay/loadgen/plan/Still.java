package dev.msgrelay.loadgen.plan;

/**
 * The times within a window in which nothing happened, in nanoseconds.
 *
 * @param count number of times of 100 ms or longer
 * @param totalNanos sum of the times of 100 ms or longer
 */
public record Still(long longestNanos, long count, long totalNanos) {
    public static final Still NONE = new Still(0, 0, 0);

    public double longestMillis() {
        return longestNanos / 1e6;
    }

    public Still orLonger(Still other) {
        return longestNanos >= other.longestNanos ? this : other;
    }

    /** Whether the longest time, or without {@code longest} the sum, is at least half of {@code nanos}. */
    public boolean explains(long nanos, boolean longest) {
        return 2 * (longest ? longestNanos : totalNanos) >= nanos;
    }
}

package dev.msgrelay.loadgen.plan;

import org.HdrHistogram.Histogram;

/**
 * How well the publishers kept their schedule; at a fixed rate only.
 *
 * @param late messages that left more than a millisecond after their intended time
 * @param worstNanos lateness of the latest message
 * @param lateness time from the intended time of each message to its leaving, in nanoseconds
 */
public record Punctuality(long late, long worstNanos, Histogram lateness) {
    public static final Punctuality NONE = new Punctuality(0, 0, new Histogram(1));

    public long scheduled() {
        return lateness.getTotalCount();
    }

    public double lateShare() {
        return scheduled() == 0 ? 0 : (double) late / scheduled();
    }
}

package dev.msgrelay.loadgen.plan;

import org.HdrHistogram.Histogram;

/**
 * How well the publishers kept their schedule. There is a schedule only at a fixed rate.
 *
 * @param late number of messages that were sent more than a millisecond after their intended time
 * @param lateness delays of all messages, from the intended time to the end of the write, in nanoseconds
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

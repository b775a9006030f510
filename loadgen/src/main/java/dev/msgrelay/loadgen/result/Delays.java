package dev.msgrelay.loadgen.result;

import org.HdrHistogram.Histogram;

/**
 * How long messages took, in nanoseconds. The histograms are not changed any more.
 *
 * @param latency from the intended time of sending, all subscribers together; null when not recorded
 * @param skew from the first subscriber that got a message to the last one; null when not recorded
 * @param oneMessageIn one message in so many was recorded
 */
public record Delays(Histogram latency, Histogram skew, int oneMessageIn) {
    /** Nothing recorded. */
    public static final Delays NONE = new Delays(null, null, 1);

    /** The percentiles that files and tables show. */
    public static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

    public boolean hasLatency() {
        return latency != null && latency.getTotalCount() > 0;
    }

    public boolean hasSkew() {
        return skew != null && skew.getTotalCount() > 0;
    }
}

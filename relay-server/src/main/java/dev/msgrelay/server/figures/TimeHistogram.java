package dev.msgrelay.server.figures;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/** Counts durations by upper bounds. One thread adds durations, any thread reads the counts. */
public final class TimeHistogram {
    /**
     * The durations so far.
     *
     * @param bounds upper bounds in seconds, growing
     * @param upTo the number of durations between each bound and the previous one; last, the number above all bounds
     * @param nanos the sum of all durations
     */
    public record Times(List<Double> bounds, List<Long> upTo, long nanos) {
        public long count() {
            return upTo.stream().mapToLong(Long::longValue).sum();
        }
    }

    private static final double NANOS_PER_SECOND = 1e9;

    private final List<Double> bounds;
    private final long[] boundsNanos;
    private final AtomicLongArray counts;
    private final AtomicLong sumNanos = new AtomicLong();

    /** @param bounds upper bounds in seconds, growing */
    public TimeHistogram(List<Double> bounds) {
        this.bounds = bounds;
        this.boundsNanos = bounds.stream()
                .mapToLong(seconds -> Math.round(seconds * NANOS_PER_SECOND))
                .toArray();
        this.counts = new AtomicLongArray(boundsNanos.length + 1);
    }

    public void add(long nanos) {
        int bound = 0;
        while (bound < boundsNanos.length && nanos > boundsNanos[bound]) {
            bound++;
        }
        counts.setOpaque(bound, counts.getPlain(bound) + 1);
        sumNanos.setOpaque(sumNanos.getPlain() + nanos);
    }

    public Times times() {
        List<Long> upTo =
                IntStream.range(0, counts.length()).mapToObj(counts::getOpaque).toList();
        return new Times(bounds, upTo, sumNanos.getOpaque());
    }
}

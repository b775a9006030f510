package dev.msgrelay.server.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Times of something that happens often, counted up to each of some bounds. One writer; read by any thread. */
public final class TimeHistogram {
    /**
     * The times so far.
     *
     * @param bounds upper bounds in seconds, each above the one before
     * @param upTo number of times between the bound before and each bound; the last entry: those above all bounds
     * @param nanos all of them together
     */
    public record Times(List<Double> bounds, List<Long> upTo, long nanos) {
        /** How often it happened. */
        public long count() {
            return upTo.stream().mapToLong(Long::longValue).sum();
        }
    }

    /** Upper bounds in seconds. */
    public static final List<Double> BOUNDS = List.of(
            0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
            0.5, 1.0);

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long[] BOUNDS_NANOS = BOUNDS.stream()
            .mapToLong(seconds -> Math.round(seconds * NANOS_PER_SECOND))
            .toArray();

    /** Place of the sum of all times, behind the counts. */
    private static final int SUM = BOUNDS_NANOS.length + 1;

    private final AtomicLongArray counts = new AtomicLongArray(SUM + 1);

    /** Counts one that took so long. The writer's thread only. */
    public void add(long nanos) {
        int bound = 0;
        while (bound < BOUNDS_NANOS.length && nanos > BOUNDS_NANOS[bound]) {
            bound++;
        }
        counts.setOpaque(bound, counts.getPlain(bound) + 1);
        counts.setOpaque(SUM, counts.getPlain(SUM) + nanos);
    }

    /** The times so far. Any thread. */
    public Times times() {
        List<Long> upTo = new ArrayList<>(SUM);
        for (int i = 0; i < SUM; i++) {
            upTo.add(counts.getOpaque(i));
        }
        return new Times(BOUNDS, upTo, counts.getOpaque(SUM));
    }
}

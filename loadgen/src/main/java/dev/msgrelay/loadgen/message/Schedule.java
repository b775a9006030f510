package dev.msgrelay.loadgen.message;

/**
 * The intended sending times of one connection's messages: a fixed grid, which a delay does not shift. A late publisher
 * sends messages with their intended times, so that the measured latency includes the delay (no coordinated omission).
 * Immutable. All times are those of {@link System#nanoTime}.
 */
public final class Schedule {
    private static final long SECOND = 1_000_000_000L;

    private final long startNanos;
    private final long perSecond;

    private Schedule(long startNanos, long perSecond) {
        this.startNanos = startNanos;
        this.perSecond = perSecond;
    }

    /**
     * Returns the schedule of connection {@code index}. The connections are spread evenly over one interval, so that
     * they do not all send at the same moment.
     */
    public static Schedule staggered(long startNanos, long perSecond, int index, int connections) {
        long interval = new Schedule(startNanos, perSecond).intervalNanos();
        return new Schedule(startNanos + interval * index / connections, perSecond);
    }

    /**
     * Returns the intended time of message {@code n}, from 0. It is not a sum of rounded intervals, and so has no
     * drift.
     */
    public long intended(long n) {
        return startNanos + n / perSecond * SECOND + n % perSecond * SECOND / perSecond;
    }

    public long intervalNanos() {
        return SECOND / perSecond;
    }

    /** Returns the number of the first message, from {@code n} on, that is due at {@code moment} or later. */
    public long firstAtOrAfter(long moment, long n) {
        long elapsed = moment - startNanos;
        long ofSecond = Math.floorMod(elapsed, SECOND) * perSecond;
        return Math.max(n, Math.floorDiv(elapsed, SECOND) * perSecond + (ofSecond + SECOND - 1) / SECOND);
    }
}

package dev.msgrelay.loadgen.message;

/**
 * The intended times of sending of one connection's messages: a fixed grid that no delay moves. A publisher that falls
 * behind sends late, and the time stamp shows that, instead of hiding the wait (coordinated omission). Immutable; all
 * times are {@link System#nanoTime}.
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
     * The schedule of connection {@code index} of {@code connections}, whose phases are spread evenly over one interval
     * so that they do not all send at the same moment.
     *
     * @param perSecond messages a second, 1 to a thousand million
     */
    public static Schedule staggered(long startNanos, long perSecond, int index, int connections) {
        long interval = new Schedule(startNanos, perSecond).intervalNanos();
        return new Schedule(startNanos + interval * index / connections, perSecond);
    }

    /** The intended time of message {@code n}, from 0. It has no drift, as it is no sum of rounded intervals. */
    public long intended(long n) {
        return startNanos + n / perSecond * SECOND + n % perSecond * SECOND / perSecond;
    }

    /** The time between two messages, rounded. */
    public long intervalNanos() {
        return SECOND / perSecond;
    }

    /** The first message from {@code n} on whose intended time is at this moment or later. */
    public long firstAtOrAfter(long moment, long n) {
        long elapsed = moment - startNanos;
        long ofSecond = Math.floorMod(elapsed, SECOND) * perSecond;
        return Math.max(n, Math.floorDiv(elapsed, SECOND) * perSecond + (ofSecond + SECOND - 1) / SECOND);
    }
}

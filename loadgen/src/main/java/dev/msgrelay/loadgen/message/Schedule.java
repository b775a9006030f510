package dev.msgrelay.loadgen.message;

/**
 * When each message of one connection is meant to be sent: a fixed grid, whatever happens to the messages before. A
 * publisher that falls behind sends late and the message's time stamp says so, instead of hiding the wait (coordinated
 * omission). Immutable; all times are {@link System#nanoTime}.
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

    /** When the {@code n}-th message (from 0) is meant to be sent. Without drift: not a sum of rounded intervals. */
    public long intended(long n) {
        return startNanos + n / perSecond * SECOND + n % perSecond * SECOND / perSecond;
    }

    /** Between two moments for which something is meant, rounded. */
    public long intervalNanos() {
        return SECOND / perSecond;
    }

    /** The first message from the {@code n}-th on that is meant to be sent at this moment or later. */
    public long firstAtOrAfter(long moment, long n) {
        long elapsed = moment - startNanos;
        long ofSecond = Math.floorMod(elapsed, SECOND) * perSecond;
        return Math.max(n, Math.floorDiv(elapsed, SECOND) * perSecond + (ofSecond + SECOND - 1) / SECOND);
    }
}

package dev.msgrelay.loadgen.load;

/**
 * When each message of one connection is meant to be sent: a fixed grid, whatever happens to the messages before. A
 * publisher that falls behind sends late and the message's time stamp says so, instead of hiding the wait (coordinated
 * omission). In bursts, so many messages are meant for the same moment, and the moments lie so far apart that the rate
 * holds. Immutable; all times are {@link System#nanoTime}.
 */
public final class Schedule {
    /** Most messages of one burst. */
    public static final int MAX_BURST = 100_000;

    private static final long SECOND = 1_000_000_000L;

    private final long startNanos;
    private final long perSecond;
    private final int burst;

    private Schedule(long startNanos, long perSecond, int burst) {
        this.startNanos = startNanos;
        this.perSecond = perSecond;
        this.burst = burst;
    }

    /**
     * The schedule of connection {@code index} of {@code connections}, whose phases are spread evenly over one interval
     * so that they do not all send at the same moment.
     *
     * @param perSecond messages a second, at least 1
     * @param burst messages that are meant for the same moment, at least 1
     */
    public static Schedule staggered(long startNanos, long perSecond, int burst, int index, int connections) {
        if (perSecond < 1 || perSecond > SECOND) {
            throw new IllegalArgumentException("rate " + perSecond + " is not within 1.." + SECOND);
        }
        if (burst < 1 || burst > MAX_BURST) {
            throw new IllegalArgumentException("burst " + burst + " is not within 1.." + MAX_BURST);
        }
        long interval = new Schedule(startNanos, perSecond, burst).intervalNanos();
        return new Schedule(startNanos + interval * index / connections, perSecond, burst);
    }

    /** When the {@code n}-th message (from 0) is meant to be sent. Without drift: not a sum of rounded intervals. */
    public long intended(long n) {
        long first = n - n % burst;
        return startNanos + first / perSecond * SECOND + first % perSecond * SECOND / perSecond;
    }

    /** Between two moments for which something is meant, rounded. */
    public long intervalNanos() {
        return SECOND * burst / perSecond;
    }

    /** The first message from the {@code n}-th on that is meant to be sent at this moment or later. */
    public long firstAtOrAfter(long moment, long n) {
        if (intended(n) >= moment) {
            return n;
        }
        long early = n;
        long seconds = (moment - startNanos) / SECOND + 1;
        long timely = Math.max(n, seconds * perSecond) + burst;
        while (timely - early > 1) {
            long middle = early + (timely - early) / 2;
            if (intended(middle) < moment) {
                early = middle;
            } else {
                timely = middle;
            }
        }
        return timely;
    }
}

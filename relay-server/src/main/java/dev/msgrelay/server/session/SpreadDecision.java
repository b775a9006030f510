package dev.msgrelay.server.session;

import java.util.concurrent.TimeUnit;

/**
 * Whether the first loop still has the time to send to subscribers, or the others shall. One loop is the better choice
 * while it can: nothing is handed from core to core, nobody has to be woken. It follows the processor time of the
 * loops, looked at second by second.
 *
 * <pre>
 *   one loop   --first loop over 0.80 of a core for a second------->  spread
 *   spread     --all loops together under 0.95 for two seconds----->  one loop
 * </pre>
 *
 * The same load takes about a fifth more on two loops than on one, so the second limit is that much higher. Below them the link or
 * the clients are what binds, and a second loop was seen to take processor time from those.
 * Owned by the first loop's thread; time comes as a parameter.
 */
final class SpreadDecision {
    private static final double BUSY = 0.80;
    private static final double CALM = 0.95;
    private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(2);

    private boolean spread;
    private boolean started;
    private long sinceNanos;
    private long sinceFirst;
    private long sinceOthers;

    /** Whether it is time to look at the loops again: asked a few times a second. */
    boolean due(long nowNanos) {
        return !started || nowNanos - sinceNanos >= (spread ? CALM_NANOS : BUSY_NANOS);
    }

    /**
     * Called when it is {@link #due}.
     *
     * @param firstCpu processor time of the first loop so far, in nanoseconds
     * @param othersCpu that of the other loops together
     * @return whether the others shall send from now on
     */
    boolean spread(long nowNanos, long firstCpu, long othersCpu) {
        if (started) {
            long passed = nowNanos - sinceNanos;
            double first = (double) (firstCpu - sinceFirst) / passed;
            double all = first + (double) (othersCpu - sinceOthers) / passed;
            spread = spread ? all >= CALM : first > BUSY;
        }
        started = true;
        sinceNanos = nowNanos;
        sinceFirst = firstCpu;
        sinceOthers = othersCpu;
        return spread;
    }
}

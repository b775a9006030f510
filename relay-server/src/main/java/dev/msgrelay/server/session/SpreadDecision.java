package dev.msgrelay.server.session;

import java.util.concurrent.TimeUnit;

/**
 * Whether the first loop still has the time to send to subscribers, or the others shall. One loop is the better choice
 * while it can: nothing is handed from core to core, nobody has to be woken. It follows the processor time of the
 * loops, not how long they were awake: a loop that waits for a core gains nothing from a second one that does, too.
 *
 * <pre>
 *   one loop   --first loop over 0.75 of a core for half a second-->  spread
 *   spread     --all loops together under 0.60 for two seconds----->  one loop
 * </pre>
 *
 * Owned by the first loop's thread; time comes as a parameter.
 */
final class SpreadDecision {
    private static final double BUSY = 0.75;
    private static final double CALM = 0.60;
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(2);

    private boolean spread;
    private boolean started;
    private long lastNanos;
    private long lastFirst;
    private long lastOthers;
    private long sinceNanos;

    /**
     * Called a few times a second.
     *
     * @param firstCpu processor time of the first loop so far, in nanoseconds
     * @param othersCpu that of the other loops together
     * @return whether the others shall send from now on
     */
    boolean spread(long nowNanos, long firstCpu, long othersCpu) {
        long passed = nowNanos - lastNanos;
        double first = (double) (firstCpu - lastFirst) / passed;
        double all = first + (double) (othersCpu - lastOthers) / passed;
        boolean change = started && passed > 0 && (spread ? all < CALM : first > BUSY);
        if (!change) {
            sinceNanos = nowNanos;
        } else if (nowNanos - sinceNanos >= (spread ? CALM_NANOS : BUSY_NANOS)) {
            spread = !spread;
            sinceNanos = nowNanos;
        }
        started = true;
        lastNanos = nowNanos;
        lastFirst = firstCpu;
        lastOthers = othersCpu;
        return spread;
    }
}

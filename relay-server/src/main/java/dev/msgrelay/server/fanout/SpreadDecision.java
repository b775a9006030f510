package dev.msgrelay.server.fanout;

import java.util.concurrent.TimeUnit;

/**
 * Whether the first loop still has the time to send to subscribers, or the others shall. One loop is the better choice
 * while it can: nothing is handed from core to core, nobody has to be woken. It follows the processor time of the
 * loops, of the machine, and what got done, looked at second by second.
 *
 * <pre>
 *   one loop   --first loop over 0.80 of a core for a second, and a quarter of a core idle-->  spread
 *   spread     --after two seconds, not 3 % more got done: it does not pay----------------->  one loop, for 30 s at least
 *   spread     --all loops together under 0.95 for two seconds---------------------------->  one loop
 * </pre>
 *
 * The same load takes about a fifth more on two loops than on one, so the limit for going back is that much higher. Where
 * clients have the other cores, a second loop only takes them away from those: it was seen to cost 10 to 20 %.
 * Owned by the first loop's thread; time comes as a parameter.
 */
final class SpreadDecision {
    private static final double BUSY = 0.80;
    private static final double CALM = 0.95;
    private static final double IDLE_CORES = 0.25;
    private static final double PAYS = 1.03;
    private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long NOT_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private boolean spread;
    private boolean started;
    private boolean onTrial;
    private double rateBefore;
    private boolean didNotPay;
    private long didNotPayNanos;
    private long sinceNanos;
    private long sinceFirst;
    private long sinceOthers;
    private long sinceDone;

    /** Whether it is time to look at the loops again: asked a few times a second. */
    boolean due(long nowNanos) {
        return !started || nowNanos - sinceNanos >= (spread ? CALM_NANOS : BUSY_NANOS);
    }

    /**
     * Called when it is {@link #due}.
     *
     * @param firstCpu processor time of the first loop so far, in nanoseconds
     * @param othersCpu that of the other loops together
     * @param idleCores cores of the machine that nobody used since the last look
     * @param done bytes that subscribers have got so far
     * @return whether the others shall send from now on
     */
    boolean spread(long nowNanos, long firstCpu, long othersCpu, double idleCores, long done) {
        if (started) {
            double passed = nowNanos - sinceNanos;
            double first = (firstCpu - sinceFirst) / passed;
            double all = first + (othersCpu - sinceOthers) / passed;
            double rate = (done - sinceDone) / passed;
            spread = spread ? stay(nowNanos, all, rate) : go(nowNanos, first, idleCores, rate);
        }
        started = true;
        sinceNanos = nowNanos;
        sinceFirst = firstCpu;
        sinceOthers = othersCpu;
        sinceDone = done;
        return spread;
    }

    private boolean go(long nowNanos, double first, double idleCores, double rate) {
        if (didNotPay && nowNanos - didNotPayNanos < NOT_AGAIN_NANOS) {
            return false;
        }
        rateBefore = rate;
        onTrial = first > BUSY && idleCores >= IDLE_CORES;
        return onTrial;
    }

    private boolean stay(long nowNanos, double all, double rate) {
        if (onTrial) {
            onTrial = false;
            didNotPay = rate < PAYS * rateBefore;
            didNotPayNanos = nowNanos;
        }
        return all >= CALM && !didNotPay;
    }
}

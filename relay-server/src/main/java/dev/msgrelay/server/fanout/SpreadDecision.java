package dev.msgrelay.server.fanout;

import java.util.concurrent.TimeUnit;

/**
 * Whether the first loop sends to subscribers, or the others do. One loop is the better choice while it has the time:
 * nothing is handed from core to core, nobody has to be woken. Where it has not, a trial decides: the two take turns, four
 * times each, and the bytes that subscribers got in each turn are compared.
 *
 * <pre>
 *             first loop over 0.80 of a core in two looks in a row,             turns:  two one two one two one two one
 *             and a quarter of a core idle                                              |-------- 3.2 seconds --------|
 *   ONE   ------------------------------------------------------------>  TRIAL
 *   ONE   <--two loops got less than 1.05 of what one got, or less in 2 of the pairs: at once------  TRIAL
 *   TWO   <--otherwise---------------------------------------------------------------------------    TRIAL
 *   TWO   --a while later--------------------------------------------->  TRIAL
 *   TWO   --all loops together under 0.95 of a core in two looks in a row-->  ONE
 * </pre>
 *
 * Until the next trial it is 30 seconds, and twice as long after each trial with the same answer, 8 minutes at most. The
 * turns are short and many since speed drifts: a relay that has just started gets faster by itself, and what else runs on
 * the machine comes and goes. Where clients have the other cores, a second loop only takes those away from them: it was
 * seen to cost 14 %. The same load takes about a fifth more on two loops than on one, so the limit for going back is that
 * much higher. Owned by the first loop's thread; time comes as a parameter.
 */
final class SpreadDecision {
    private enum State {
        ONE,
        TRIAL,
        TWO
    }

    private static final double BUSY = 0.80;
    private static final double CALM = 0.95;
    private static final double IDLE_CORES = 0.25;
    private static final double PAYS = 1.05;
    private static final int TURNS = 8;
    private static final int MORE_OF_FOUR = 3;
    private static final int LOOKS = 2;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(8);

    private State state = State.ONE;
    private boolean started;
    private int looks;
    private int turn;
    private double rateOfTwo;
    private double sumOfTwo;
    private double sumOfOne;
    private int more;
    private boolean paid;
    private long triedNanos;
    // 0: there was no trial yet.
    private long pauseNanos;
    private long sinceNanos;
    private long sinceFirst;
    private long sinceOthers;
    private long sinceDone;

    /** Whether it is time to look at the loops again: asked a few times a second. */
    boolean due(long nowNanos) {
        return !started || nowNanos - sinceNanos >= (state == State.TRIAL ? TURN_NANOS : LOOK_NANOS);
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
            switch (state) {
                case ONE -> one(nowNanos, first > BUSY && idleCores >= IDLE_CORES);
                case TRIAL -> turn(nowNanos, rate);
                case TWO -> two(nowNanos, all < CALM);
            }
        }
        started = true;
        sinceNanos = nowNanos;
        sinceFirst = firstCpu;
        sinceOthers = othersCpu;
        sinceDone = done;
        return state == State.TWO || state == State.TRIAL && turn % 2 == 0;
    }

    private void one(long nowNanos, boolean busy) {
        looks = busy ? looks + 1 : 0;
        if (looks >= LOOKS && mayTry(nowNanos)) {
            tryBoth();
        }
    }

    private void two(long nowNanos, boolean calm) {
        looks = calm ? looks + 1 : 0;
        if (looks >= LOOKS) {
            state = State.ONE;
            looks = 0;
        } else if (mayTry(nowNanos)) {
            tryBoth();
        }
    }

    private boolean mayTry(long nowNanos) {
        return pauseNanos == 0 || nowNanos - triedNanos >= pauseNanos;
    }

    private void tryBoth() {
        state = State.TRIAL;
        turn = 0;
        sumOfTwo = 0;
        sumOfOne = 0;
        more = 0;
    }

    /** A turn is over, with this rate. Even turns are those of two loops. */
    private void turn(long nowNanos, double rate) {
        if (turn % 2 == 0) {
            rateOfTwo = rate;
            sumOfTwo += rate;
        } else {
            sumOfOne += rate;
            more += rateOfTwo > rate ? 1 : 0;
        }
        turn++;
        // Where it cannot pay any more, the rest of the turns would be a loss.
        boolean lost = turn / 2 - more > TURNS / 2 - MORE_OF_FOUR;
        if (turn == TURNS || lost) {
            boolean pays = more >= MORE_OF_FOUR && sumOfTwo >= PAYS * sumOfOne;
            pauseNanos = pauseNanos > 0 && pays == paid ? Math.min(2 * pauseNanos, LONGEST_NANOS) : AGAIN_NANOS;
            paid = pays;
            triedNanos = nowNanos;
            state = pays ? State.TWO : State.ONE;
            looks = 0;
        }
    }
}

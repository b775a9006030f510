package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One loop while it has the time, the others where a trial says that they pay, and no to and fro between the two. */
class SpreadDecisionTest {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(100);
    /** Ticks of a trial: eight turns of 400 ms. */
    private static final int TRIAL = 32;

    private final SpreadDecision decision = new SpreadDecision();
    private long now = 77;
    private double first = 5e9;
    private double others = 1e9;
    private double done = 1e6;
    private double rate = 1000;
    private double idleCores = 1;
    private double gain = 1.5;
    private boolean spread;
    private int spreadTicks;

    /** So many ticks with the loops at these shares of a core. */
    private boolean ticks(int count, double firstShare, double othersShare) {
        for (int i = 0; i < count; i++) {
            now += TICK;
            first += firstShare * TICK;
            others += othersShare * TICK;
            done += spread ? rate * gain : rate;
            spreadTicks += spread ? 1 : 0;
            if (decision.due(now)) {
                spread = decision.spread(now, (long) first, (long) others, idleCores, (long) done);
            }
        }
        return spread;
    }

    /** Two looks at a busy loop: the trial begins. */
    private void begin() {
        ticks(1, 0, 0);
        assertThat(ticks(19, 0.9, 0)).isFalse();
        assertThat(ticks(1, 0.9, 0)).isTrue();
    }

    @Test
    void whatWasBeforeTheFirstLookDoesNotCount() {
        assertThat(ticks(1, 1, 0)).isFalse();
        assertThat(ticks(100, 0.1, 0)).isFalse();
    }

    @Test
    void aBusyLoopIsHelpedAndTheHelpComparedInTurns() {
        begin();
        for (int turn = 0; turn < 8; turn++) {
            assertThat(ticks(3, 0.9, 0.5)).isEqualTo(turn % 2 == 0);
            ticks(1, 0.9, 0.5);
        }
        assertThat(ticks(200, 0.9, 0.5)).isTrue();
    }

    /** The scheduler does not give it the same in every tick. */
    @Test
    void theMeanOfTheSecondCounts() {
        ticks(1, 0, 0);
        assertThat(ticks(5, 0.7, 0)).isFalse();
        assertThat(ticks(5, 0.95, 0)).isFalse();
        assertThat(ticks(5, 0.7, 0)).isFalse();
        assertThat(ticks(5, 0.95, 0)).isTrue();
    }

    @Test
    void aBurstIsNoReason() {
        ticks(1, 0, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(ticks(10, 1, 0)).isFalse();
            assertThat(ticks(10, 0.2, 0)).isFalse();
        }
    }

    @Test
    void itComesBackAfterTwoCalmSeconds() {
        begin();
        assertThat(ticks(TRIAL, 0.9, 0.5)).isTrue();
        assertThat(ticks(19, 0.3, 0.2)).isTrue();
        assertThat(ticks(1, 0.3, 0.2)).isFalse();
    }

    /** The others' share counts as well: the first loop would have to do their work, too. */
    @Test
    void aLoadThatOneLoopCouldHardlyBearStaysSpread() {
        begin();
        assertThat(ticks(TRIAL, 0.9, 0.5)).isTrue();
        assertThat(ticks(200, 0.5, 0.5)).isTrue();
    }

    /** A load of 0.78 on one loop takes 0.94 on two. */
    @Test
    void whatOneLoopCanBearDoesNotStaySpread() {
        ticks(1, 0, 0);
        assertThat(ticks(200, 0.78, 0)).isFalse();
        assertThat(ticks(20, 0.9, 0)).isTrue();
        assertThat(ticks(TRIAL, 0.9, 0.5)).isTrue();
        assertThat(ticks(20, 0.5, 0.44)).isFalse();
        assertThat(ticks(200, 0.78, 0)).isFalse();
    }

    @Test
    void whereNoCoreIsIdleNobodyHelps() {
        ticks(1, 0, 0);
        idleCores = 0.2;
        assertThat(ticks(200, 1, 0)).isFalse();
        idleCores = 0.3;
        assertThat(ticks(20, 1, 0)).isTrue();
    }

    @Test
    void whatDoesNotPayIsGivenBackAndTriedAgainMoreAndMoreSeldom() {
        gain = 1.04;
        begin();
        assertThat(ticks(TRIAL, 0.9, 0.9)).isFalse();
        assertThat(ticks(299, 1, 0)).isFalse();
        assertThat(ticks(11, 1, 0)).isTrue();
        spreadTicks = 0;
        assertThat(ticks(36_000, 1, 0)).isFalse();
        // An hour: after 1, 2, 4 and 8 minutes, and every 8 minutes from then on. 16 ticks of each trial are spread.
        assertThat(spreadTicks / 16).isBetween(7, 12);
    }

    @Test
    void aTrialThatIsLostEndsAtOnce() {
        gain = 0.9;
        begin();
        assertThat(ticks(TRIAL, 0.9, 0.9)).isFalse();
        // Two turns of two loops, and not four.
        assertThat(spreadTicks).isEqualTo(8);
    }

    @Test
    void whatPaidIsTriedAgain() {
        begin();
        assertThat(ticks(TRIAL, 0.9, 0.9)).isTrue();
        gain = 0.9;
        assertThat(ticks(310 + TRIAL, 0.9, 0.9)).isFalse();
        assertThat(ticks(200, 0.9, 0)).isFalse();
    }

    /** A relay that has just started gets faster by itself, with one loop and with two. */
    @Test
    void whoGetsFasterByItselfIsNotTakenForWhatTwoLoopsGain() {
        gain = 0.95;
        begin();
        for (int i = 0; i < TRIAL; i++) {
            rate *= 1.01;
            ticks(1, 0.9, 0.9);
        }
        assertThat(spread).isFalse();
    }

    /** Each tenth of a second has between 0.7 and 1.3 of the speed: as on a machine that others use as well. */
    @Test
    void noiseAloneDoesSeldomPay() {
        int paid = 0;
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            SpreadDecisionTest test = new SpreadDecisionTest();
            test.gain = 0.95;
            test.begin();
            for (int i = 0; i < TRIAL; i++) {
                test.rate = 1000 * (0.7 + 0.6 * random.nextDouble());
                test.ticks(1, 0.9, 0.9);
            }
            paid += test.spread ? 1 : 0;
        }
        assertThat(paid).as("of 200 trials, seeds 1 to 200").isLessThan(20);
    }
}

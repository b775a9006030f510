package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One loop while it has the time, the others when it has not, and no to and fro between the two. */
class SpreadDecisionTest {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(100);

    private final SpreadDecision decision = new SpreadDecision();
    private long now = 77;
    private double first = 5e9;
    private double others = 1e9;
    private double done = 1e6;
    private double idleCores = 1;
    private double gain = 1.5;
    private boolean spread;

    /** So many ticks with the loops at these shares of a core. */
    private boolean ticks(int count, double firstShare, double othersShare) {
        for (int i = 0; i < count; i++) {
            now += TICK;
            first += firstShare * TICK;
            others += othersShare * TICK;
            done += spread ? 1000 * gain : 1000;
            if (decision.due(now)) {
                spread = decision.spread(now, (long) first, (long) others, idleCores, (long) done);
            }
        }
        return spread;
    }

    @Test
    void whatWasBeforeTheFirstLookDoesNotCount() {
        assertThat(ticks(1, 1, 0)).isFalse();
        assertThat(ticks(100, 0.1, 0)).isFalse();
    }

    @Test
    void aBusyLoopGetsHelpAfterASecond() {
        ticks(1, 0, 0);
        assertThat(ticks(9, 0.9, 0)).isFalse();
        assertThat(ticks(1, 0.9, 0)).isTrue();
    }

    /** The scheduler does not give it the same in every tick. */
    @Test
    void theMeanOfTheSecondCounts() {
        ticks(1, 0, 0);
        assertThat(ticks(5, 0.7, 0)).isFalse();
        assertThat(ticks(5, 0.95, 0)).isTrue();
    }

    @Test
    void aBurstIsNoReason() {
        ticks(1, 0, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(ticks(5, 1, 0)).isFalse();
            assertThat(ticks(5, 0.2, 0)).isFalse();
        }
    }

    @Test
    void itComesBackAfterTwoCalmSeconds() {
        ticks(1, 0, 0);
        assertThat(ticks(10, 0.9, 0)).isTrue();
        assertThat(ticks(19, 0.3, 0.2)).isTrue();
        assertThat(ticks(1, 0.3, 0.2)).isFalse();
    }

    /** The others' share counts as well: the first loop would have to do their work, too. */
    @Test
    void aLoadThatOneLoopCouldHardlyBearStaysSpread() {
        ticks(1, 0, 0);
        assertThat(ticks(10, 0.9, 0)).isTrue();
        assertThat(ticks(200, 0.5, 0.5)).isTrue();
    }

    /** A load of 0.78 on one loop takes 0.94 on two. */
    @Test
    void whatOneLoopCanBearDoesNotStaySpread() {
        ticks(1, 0, 0);
        assertThat(ticks(200, 0.78, 0)).isFalse();
        assertThat(ticks(10, 0.9, 0)).isTrue();
        assertThat(ticks(20, 0.5, 0.44)).isFalse();
        assertThat(ticks(200, 0.78, 0)).isFalse();
    }

    @Test
    void whereNoCoreIsIdleNobodyHelps() {
        ticks(1, 0, 0);
        idleCores = 0.2;
        assertThat(ticks(200, 1, 0)).isFalse();
        idleCores = 0.3;
        assertThat(ticks(10, 1, 0)).isTrue();
    }

    @Test
    void whatDoesNotPayIsGivenBackAndNotTriedAgainForAWhile() {
        gain = 1.02;
        ticks(1, 0, 0);
        assertThat(ticks(10, 1, 0)).isTrue();
        assertThat(ticks(19, 0.9, 0.9)).isTrue();
        assertThat(ticks(1, 0.9, 0.9)).isFalse();
        assertThat(ticks(299, 1, 0)).isFalse();
        gain = 1.2;
        assertThat(ticks(11, 1, 0)).isTrue();
        assertThat(ticks(200, 0.9, 0.9)).isTrue();
    }
}

package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void doesNotDriftWhereTheIntervalIsNoWholeNumberOfNanoseconds() {
        Schedule schedule = Schedule.staggered(0, 3, 1, 0, 1);
        assertThat(schedule.intended(1)).isEqualTo(333_333_333);
        assertThat(schedule.intended(3)).isEqualTo(SECOND);
        assertThat(schedule.intended(3 * 86_400L)).isEqualTo(86_400 * SECOND);
    }

    @Test
    void doesNotOverflowWithinHoursOfTheHighestRate() {
        Schedule schedule = Schedule.staggered(17, 10_000_000, 1, 0, 1);
        assertThat(schedule.intended(10_000_000L * 3_600 * 5)).isEqualTo(17 + 5 * 3_600 * SECOND);
    }

    @Test
    void phasesAreSpreadEvenlyOverOneInterval() {
        for (int i = 0; i < 4; i++) {
            assertThat(Schedule.staggered(100, 1_000, 1, i, 4).intended(0)).isEqualTo(100 + i * 250_000L);
        }
    }

    @Test
    void theMessagesOfABurstAreDueTogetherAndTheRateHolds() {
        Schedule schedule = Schedule.staggered(0, 1_000, 20, 0, 1);
        for (int n = 0; n < 1_000; n++) {
            assertThat(schedule.intended(n)).as("message %d", n).isEqualTo(n / 20 * 20_000_000L);
        }
        assertThat(schedule.intended(1_000)).isEqualTo(SECOND);
    }

    @Test
    void burstsDoNotDriftEither() {
        Schedule schedule = Schedule.staggered(0, 3, 2, 0, 1);
        assertThat(schedule.intended(2)).isEqualTo(666_666_666);
        assertThat(schedule.intended(6)).isEqualTo(2 * SECOND);
        assertThat(schedule.intended(3 * 86_400L)).isEqualTo(86_400 * SECOND);
    }

    @Test
    void burstsOfSeveralConnectionsAreSpreadOverTheirInterval() {
        for (int i = 0; i < 4; i++) {
            assertThat(Schedule.staggered(100, 1_000, 8, i, 4).intended(7)).isEqualTo(100 + i * 2_000_000L);
        }
        long last = Schedule.staggered(0, 1, Schedule.MAX_BURST, 9_999, 10_000).intended(0);
        assertThat(last).as("no overflow").isEqualTo(Schedule.MAX_BURST * SECOND / 10_000 * 9_999);
    }

    @Test
    void theFirstMessageOfAMomentIsFoundWithoutCounting() {
        for (int burst : new int[] {1, 7}) {
            Schedule schedule = Schedule.staggered(100, 3_000, burst, 0, 1);
            for (long moment = 0; moment < 2 * SECOND; moment += 1_234_567) {
                long first = schedule.firstAtOrAfter(moment, 0);
                assertThat(schedule.intended(first)).isGreaterThanOrEqualTo(moment);
                assertThat(first == 0 || schedule.intended(first - 1) < moment)
                        .as("message %d of moment %d", first, moment)
                        .isTrue();
            }
            assertThat(schedule.firstAtOrAfter(SECOND, 5_000)).isEqualTo(5_000);
        }
    }

    @Test
    void aRateOutsideTheLimitsIsNamed() {
        assertThatThrownBy(() -> Schedule.staggered(0, 0, 1, 0, 1)).hasMessage("rate 0 is not within 1..1000000000");
        assertThatThrownBy(() -> Schedule.staggered(0, 1, 0, 0, 1)).hasMessage("burst 0 is not within 1..100000");
    }
}

package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void doesNotDriftWhereTheIntervalIsNoWholeNumberOfNanoseconds() {
        Schedule schedule = Schedule.staggered(0, 3, 0, 1);
        assertThat(schedule.intended(1)).isEqualTo(333_333_333);
        assertThat(schedule.intended(3)).isEqualTo(SECOND);
        assertThat(schedule.intended(3 * 86_400L)).isEqualTo(86_400 * SECOND);
    }

    @Test
    void doesNotOverflowWithinHoursOfTheHighestRate() {
        Schedule schedule = Schedule.staggered(17, 10_000_000, 0, 1);
        assertThat(schedule.intended(10_000_000L * 3_600 * 5)).isEqualTo(17 + 5 * 3_600 * SECOND);
    }

    @Test
    void phasesAreSpreadEvenlyOverOneInterval() {
        for (int i = 0; i < 4; i++) {
            assertThat(Schedule.staggered(100, 1_000, i, 4).intended(0)).isEqualTo(100 + i * 250_000L);
        }
    }

    @Test
    void theFirstMessageOfAMomentIsFoundWithoutCounting() {
        Schedule schedule = Schedule.staggered(100, 3_000, 0, 1);
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

package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import org.junit.jupiter.api.Test;

class MachineTimesTest {
    private static final String STAT = """
            cpu  1045538 441600 559389 2044216 4052 0 199986 6059 500 0
            cpu0 522769 220800 279694 1022108 2026 0 99993 3029 250 0
            cpu1 522769 220800 279695 1022108 2026 0 99993 3030 250 0
            intr 12345 0 1
            ctxt 99
            """;

    @Test
    void recordedText() {
        assertThat(MachineTimes.parse(STAT))
                .contains(new MachineTimes(
                        2, 1045538 + 441600 + 559389 + 2044216 + 4052 + 199986 + 6059, 2044216 + 4052, 199986, 6059));
    }

    @Test
    void sharesOfTheTimeBetweenTwoLooks() {
        MachineShare share = new MachineTimes(2, 1_400, 600, 130, 42)
                .since(new MachineTimes(2, 1_000, 500, 100, 40), 0.9, 0.1, "", 1);
        assertThat(share.cores()).isEqualTo(2);
        assertThat(share.idle()).isCloseTo(0.25, within(1e-9));
        assertThat(share.softirq()).isCloseTo(0.075, within(1e-9));
        assertThat(share.steal()).isCloseTo(0.005, within(1e-9));
        assertThat(share.own()).isCloseTo(0.45, within(1e-9));
        assertThat(share.others()).isCloseTo(0.22, within(1e-9));
    }

    @Test
    void otherProgramsThatWereSeenCountWhereTheKernelsBooksHideThem() {
        MachineShare share = new MachineTimes(2, 1_400, 500, 100, 40)
                .since(new MachineTimes(2, 1_000, 500, 100, 40), 2.4, 0.8, "yes (pid 7)", 0.8);
        assertThat(share.own()).isEqualTo(1);
        assertThat(share.others()).isCloseTo(0.4, within(1e-9));
        assertThat(share.busiest()).isEqualTo("yes (pid 7)");
        assertThat(share.clock()).isEqualTo(0.8);
    }

    @Test
    void theClockOfAllCores() {
        assertThat(MachineTimes.clock("processor : 0\ncpu MHz\t\t: 3000.5\nx\ncpu MHz\t\t: 2000.5\n"))
                .isEqualTo(2_500.5);
        assertThat(MachineTimes.clock("processor : 0\n")).isNaN();
        assertThat(MachineTimes.clock("cpu MHz : fast\n")).isNaN();
    }

    @Test
    void idleTimeThatGoesBackIsNone() {
        assertThat(new MachineTimes(1, 1_100, 499, 0, 0)
                        .since(new MachineTimes(1, 1_000, 500, 0, 0), 0, 0, "", 1)
                        .idle())
                .isZero();
    }

    @Test
    void noTimeHasPassed() {
        MachineTimes times = new MachineTimes(2, 1_000, 500, 100, 40);
        assertThat(times.since(times, 0, 0, "", 1)).isEqualTo(MachineShare.UNSEEN);
    }

    @Test
    void otherTexts() {
        assertThat(MachineTimes.parse("")).isEmpty();
        assertThat(MachineTimes.parse("cpu  1 2 3")).isEmpty();
        assertThat(MachineTimes.parse("cpu  1 2 3 4 5 6 7 eight")).isEmpty();
        assertThat(MachineTimes.parse("cpu0 1 2 3 4 5 6 7 8")).isEmpty();
    }
}

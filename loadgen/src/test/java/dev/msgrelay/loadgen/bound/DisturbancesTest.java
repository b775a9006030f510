package dev.msgrelay.loadgen.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What makes a run's figures unusable. */
class DisturbancesTest {
    private static final MachineShare QUIET = new MachineShare(2, 0.2, 0.1, 0.01, 0.6, 0.09, "", 0.95);

    @Test
    void aQuietMachineLeavesNoMark() {
        assertThat(marks(Case.quiet().machine(QUIET))).isEmpty();
        assertThat(marks(Case.quiet().machine((MachineShare) null))).isEmpty();
        assertThat(marks(Case.quiet().machine(new MachineShare(2, 1, 0, 0, 0, 0, "", Double.NaN))))
                .isEmpty();
    }

    @Test
    void otherProgramsTheHostAndTheClock() {
        assertThat(marks(Case.quiet().machine(new MachineShare(2, 0, 0.1, 0.03, 0.4, 0.43, "yes (pid 7)", 0.8))))
                .containsExactly(
                        "other programs took 43 % of all cores, most of it yes (pid 7)",
                        "the host of this virtual machine took 3.0 % of all cores",
                        "the cores' clock was 80 % of what it had been at the begin");
    }

    @Test
    void standstillsAtFullSpeed() {
        assertThat(marks(Case.quiet().machine(QUIET).stoodStill(3, 120, 0, 0, 301, 0)))
                .containsExactly(
                        "deliveries stood still 3 times for 100 ms or longer, at most for 301 ms, 0.9 s in all",
                        "the machine kept a process that only sleeps from running for 120 ms");
    }

    @Test
    void atALowRateMessagesAreRareAnyway() {
        Case rare = Case.quiet().machine(QUIET).rates(new Rates(5, 5, 5, 0, 10));
        assertThat(marks(rare.stoodStill(40, 1, 1, 1, 200, 3))).isEmpty();
        assertThat(marks(rare.stoodStill(40, 1, 1, 1, 300, 300))).hasSize(1);
    }

    private static List<String> marks(Case one) {
        return Disturbances.of(one.signals());
    }
}

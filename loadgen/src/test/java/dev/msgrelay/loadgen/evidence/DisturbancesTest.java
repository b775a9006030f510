package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of a machine takes a run away, and that nothing else does. */
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
    void aMachineThatStoodStillIsOne() {
        assertThat(marks(Case.quiet().machine(QUIET).stoodStill(3, 120, 0, 0, 301, 0)))
                .containsExactly("the machine kept a process that only sleeps from running for 120 ms");
    }

    @Test
    void deliveriesThatStoodStillAndLateSendsAreNone() {
        assertThat(marks(Case.quiet().machine(QUIET).stoodStill(3, 1, 400, 400, 400, 0)))
                .isEmpty();
        assertThat(marks(Case.quiet()
                        .machine(QUIET)
                        .rates(new Rates(1_000, 700, 650, 0.3, 10))
                        .stoodStill(3, 1, 400, 400, 400, 400)))
                .isEmpty();
    }

    @Test
    void atALowRateMessagesAreRareAndNothingStoodStill() {
        Case rare = Case.quiet().machine(QUIET).rates(new Rates(5, 5, 5, 0, 10));
        assertThat(rare.stoodStill(40, 1, 1, 1, 200, 3).signals().stoodStill()).isFalse();
        assertThat(rare.stoodStill(40, 1, 1, 1, 300, 300).signals().stoodStill())
                .isTrue();
    }

    private static List<String> marks(Case one) {
        return Disturbances.of(one.signals());
    }
}

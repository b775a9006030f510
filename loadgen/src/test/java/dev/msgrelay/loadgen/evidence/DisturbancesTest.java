package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.loadgen.plan.Still;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A machine's deeds take a run away, and nothing else does. */
class DisturbancesTest {
    private static final MachineShare QUIET = new MachineShare(2, 0.2, 0.1, 0.01, 0.6, 0.09, "", 0.95);
    private static final Rates OFTEN = new Rates(5, 5, 5, 0.3, 10, 0, true);
    private static final Still LONG = new Still(120_000_000, 3, 300_000_000);

    @Test
    void aQuietMachineLeavesNoMark() {
        assertThat(marks(QUIET, Standstills.NONE)).isEmpty();
        assertThat(marks(MachineShare.UNSEEN, Standstills.NONE)).isEmpty();
        assertThat(marks(new MachineShare(2, 1, 0, 0, 0, 0, "", Double.NaN), Standstills.NONE))
                .isEmpty();
    }

    @Test
    void otherProgramsTheHostTheClockAndAMachineThatStoodStill() {
        Standstills machine = new Standstills(LONG, Still.NONE, Still.NONE, LONG, 0);
        assertThat(marks(new MachineShare(2, 0, 0.1, 0.03, 0.4, 0.43, "yes (pid 7)", 0.8), machine))
                .containsExactly(
                        "other programs took 43 % of all cores, most of it yes (pid 7)",
                        "the host of this virtual machine took 3.0 % of all cores",
                        "the cores' clock was 80 % of what it had been at the begin",
                        "the machine kept a process that only sleeps from running for 120 ms");
    }

    @Test
    void aQuotaThatWasReached() {
        assertThat(marks(new Quota("/sys/fs/cgroup/pod", 0.6, 80, 0, 0))).isEmpty();
        assertThat(marks(new Quota("/sys/fs/cgroup/pod", 0.6, 80, 3, 120_000_000)))
                .containsExactly("the CPU quota of /sys/fs/cgroup/pod, 0.60 cores, reached in 3 of 80 periods:"
                        + " throttled for 0.12 s, over all cores");
    }

    @Test
    void contestantsThatStoodStillAreNone() {
        assertThat(marks(QUIET, new Standstills(Still.NONE, LONG, LONG, LONG, 400_000_000)))
                .isEmpty();
    }

    @Test
    void atALowRateMessagesAreRareAndNothingStoodStill() {
        assertThat(signals(QUIET, new Standstills(Still.NONE, Still.NONE, Still.NONE, LONG, 3_000_000))
                        .stoodStill())
                .isFalse();
        assertThat(signals(QUIET, new Standstills(Still.NONE, Still.NONE, Still.NONE, LONG, 300_000_000))
                        .stoodStill())
                .isTrue();
    }

    @Test
    void betweenTheTicksOfAnIntervalNothingStoodStill() {
        Standstills ticks = new Standstills(Still.NONE, Still.NONE, Still.NONE, LONG, 300_000_000);
        assertThat(signals(new Rates(0, 5, 5, 0, 10, 0, false), QUIET, null, ticks)
                        .stoodStill())
                .isFalse();
        assertThat(signals(new Rates(5, 5, 5, 0, 10, 0, false), QUIET, null, ticks)
                        .stoodStill())
                .isFalse();
    }

    private static List<String> marks(MachineShare machine, Standstills still) {
        return Disturbances.of(signals(machine, still));
    }

    private static List<String> marks(Quota quota) {
        return Disturbances.of(signals(OFTEN, QUIET, quota, Standstills.NONE));
    }

    private static Signals signals(MachineShare machine, Standstills still) {
        return signals(OFTEN, machine, null, still);
    }

    private static Signals signals(Rates rates, MachineShare machine, Quota quota, Standstills still) {
        Sampled sampled = new Sampled(20, List.of(), true, machine, quota, Queues.UNSEEN, Double.NaN);
        return new Signals(
                rates, sampled, RelayHolds.UNKNOWN, new LinkShare(Double.NaN, Double.NaN, true, true), still);
    }
}

package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Results;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunTextTest {
    private static final Load LOAD = Load.oneToOne(100);

    @Test
    void aNewcomerGetsTheVerdictFirstInAFewLines() {
        String text = text(false, MadeUp.cell(LOAD, new Given(23_000_000, 1)));
        assertThat(text.lines().count()).isLessThanOrEqualTo(15);
        assertThat(text)
                .startsWith("PASS: 23,000,000 messages arrived, every byte checked, ")
                .contains("1 publisher -> 1 subscriber, 100-byte bodies, full speed, TCP, lane loopback")
                .containsPattern("full speed +23 M msg/s, 2.48 GB/s delivered")
                .containsPattern("bound by +relay: relay's busiest thread ran 0.97");
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(170));
        assertThat(text(true, MadeUp.cell(LOAD, new Given(23_000_000, 1))))
                .contains("bound by relay:\n  relay's busiest thread ran 0.97 of the time\n")
                .contains("publishers unknown, subscribers unknown")
                .doesNotContain(" 0 ns\n");
    }

    @Test
    void lossesAreCountedAndNamed() {
        assertThat(text(
                        false,
                        MadeUp.cell(
                                LOAD,
                                new Given(1_000, 1)
                                        .of(new SubscriberResult(
                                                0, 1_000, new Faults(3, 0, 0, 0, 0, 0), Told.NOTHING, null, 0)))))
                .startsWith("FAIL: 1,000 messages arrived, every byte checked, ")
                .contains("subscriber 0");
    }

    @Test
    void aBusyMachineIsToldInTheFirstLineAndAStandstillBelow() {
        String text =
                text(false, MadeUp.cell(LOAD, new Given(1_000, 1).beside(0.43).stoodStill(301)));
        assertThat(text.lines().findFirst().orElseThrow())
                .startsWith("PASS: ")
                .endsWith("; the machine was busy: other programs took 43 % of all cores");
        assertThat(text).containsPattern("observed +full speed: deliveries stood still 1 time for 100 ms");
    }

    @Test
    void aQuotaIsToldAndAReachedOneMarksTheRun() {
        Quota kept = new Quota("/sys/fs/cgroup/pod", 0.6, 80, 0, 0);
        assertThat(text(false, MadeUp.cell(LOAD, new Given(1_000, 1).within(kept))))
                .contains("CPU quota of /sys/fs/cgroup/pod: 0.60 cores, not reached in 80 periods\n")
                .doesNotContain("the machine was busy");
        Quota reached = new Quota("/sys/fs/cgroup/pod", 0.6, 80, 36, 1_227_625_650);
        String what = "0.60 cores, reached in 36 of 80 periods: throttled for 1.23 s, over all cores";
        String text = text(false, MadeUp.cell(LOAD, new Given(1_000, 1).within(reached)));
        assertThat(text.lines().findFirst().orElseThrow())
                .endsWith("; the machine was busy: the CPU quota of /sys/fs/cgroup/pod, " + what);
        assertThat(text).contains("CPU quota of /sys/fs/cgroup/pod: " + what + "\n");
    }

    @Test
    void aPercentileWithTheGeneratorsOwnLatenessHasAStarAndARateThatWasMissedSaysSo() {
        assertThat(text(
                        false,
                        MadeUp.cell(LOAD, new Given(200_000, 1)),
                        MadeUp.cell(LOAD.withRate(100_000), new Given(100_000, 1_000_000)),
                        MadeUp.cell(LOAD.withRate(150_000), new Given(150_000, 1_000_000).late(3_000))))
                .containsPattern("100 k msg/s +50 % +1 ms +1 ms +1 ms +0.00 %\n")
                .containsPattern("150 k msg/s +75 % +1 ms +1 ms \\* +1 ms \\* +2.00 %")
                .contains("* includes the load generator's own lateness");
    }

    @Test
    void theHeadlineIsTheHighestRateThatWasKept() {
        Results curve = MadeUp.of(MadeUp.loopback(
                MadeUp.cell(LOAD.withRate(10_000), new Given(10_000, 1_000_000)),
                MadeUp.cell(LOAD.withRate(50_000), new Given(50_000, 1_000_000).late(5)),
                MadeUp.cell(LOAD.withRate(90_000), new Given(90_000, 1_000_000).late(20_000))));
        assertThat(RunText.headline(curve, null)).containsExactly("highest rate kept: 50 k msg/s, p99 1 ms");
        assertThat(RunText.headline(curve, 2_000_000L))
                .containsExactly("highest rate kept with p99 within 2 ms: 50 k msg/s, p99 1 ms");
        assertThat(RunText.headline(curve, 1_000L))
                .containsExactly("no rate was kept with p99 within 1 us: at most 0.1 % of the messages may leave late");
        assertThat(RunText.headline(MadeUp.of(MadeUp.loopback()), null)).isEqualTo(List.of());
    }

    private static String text(boolean explain, Cell... cells) {
        return RunText.of(MadeUp.of(MadeUp.loopback(cells)), Cell.RELAY, "TCP", explain);
    }
}

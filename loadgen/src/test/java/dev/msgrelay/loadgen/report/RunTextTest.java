package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.report.RunSummary.Targets;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunTextTest {
    private static final Load LOAD = Load.oneToOne(100);

    @Test
    void aNewcomerGetsTheResultFirstInAFewLinesOf80Columns() {
        String text = text(false, MadeUp.cell(LOAD, new Given(23_000_000, 1)));
        assertThat(text.lines().count()).isLessThanOrEqualTo(20);
        assertThat(text)
                .startsWith("full speed 23 M msg/s\n"
                        + "PASS: all 23,000,000 messages right: every byte, once, in order\n\n")
                .contains("1 publisher -> 1 subscriber, 100-byte bodies, full speed, TCP, lane")
                .containsPattern("full speed +23 M msg/s, 2.48 GB/s delivered")
                .containsPattern("bound by +relay: relay's busiest thread ran 0.97")
                .containsPattern("cores +relay 0.50 \\(kernel 0.25\\); network interrupts 0.20");
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(text(true, MadeUp.cell(LOAD, new Given(23_000_000, 1))))
                .contains("bound by relay:\n  relay's busiest thread ran 0.97 of the time\n")
                .contains("publishers unknown, subscribers unknown")
                .doesNotContain(" 0 ns\n");
    }

    @Test
    void aStandstillIsToldBelow() {
        String text =
                text(false, MadeUp.cell(LOAD, new Given(1_000, 1).beside(0.43).stoodStill(301)));
        assertThat(text)
                .contains("\ncaution: the machine was busy: other programs took 43 % of all cores\nPASS: ")
                .containsPattern("observed +full speed: deliveries stood still 1 time for 100 ms");
    }

    @Test
    void aQuotaIsToldAndAReachedOneMarksTheRun() {
        Quota kept = new Quota("/sys/fs/cgroup/pod", 0.6, 80, 0, 0);
        assertThat(text(false, MadeUp.cell(LOAD, new Given(1_000, 1).within(kept)))
                        .replaceAll("\n +", " "))
                .contains("CPU quota of /sys/fs/cgroup/pod: 0.60 cores, not reached in 80 periods\n")
                .doesNotContain("the machine was busy");
        Quota reached = new Quota("/sys/fs/cgroup/pod", 0.6, 80, 36, 1_227_625_650);
        String what = "0.60 cores, reached in 36 of 80 periods: throttled for 1.23 s, over all cores";
        String text = text(false, MadeUp.cell(LOAD, new Given(1_000, 1).within(reached)));
        assertThat(text.replaceAll("\n +", " "))
                .contains("caution: the machine was busy: the CPU quota of /sys/fs/cgroup/pod, " + what)
                .contains("CPU quota of /sys/fs/cgroup/pod: " + what + "\n");
    }

    @Test
    void aPercentileWithTheGeneratorsOwnLatenessHasAStarAndARateThatWasMissedSaysSo() {
        assertThat(text(
                        false,
                        MadeUp.cell(LOAD, new Given(200_000, 1)),
                        MadeUp.cell(LOAD.withRate(100_000), new Given(100_000, 1_000_000)),
                        MadeUp.cell(LOAD.withRate(150_000), new Given(150_000, 1_000_000).late(3_000))))
                .containsPattern("100,000 msg/s +50 % +1 ms +1 ms +1 ms +0.00 %\n")
                .containsPattern("150,000 msg/s +75 % +1 ms +1 ms \\* +1 ms \\* +2.00 %")
                .contains("* includes the load generator's own lateness");
    }

    @Test
    void thePlainRelaysLatencyIsBelowWithItsRatiosAndWhatIsLeftOutIsCounted() {
        Load slow = LOAD.withRate(100_000);
        Load fast = LOAD.withRate(150_000);
        String text = text(
                false,
                MadeUp.cell(LOAD, new Given(200_000, 1)),
                MadeUp.cell(slow, new Given(100_000, 1_000_000)),
                MadeUp.plain(slow, new Given(100_000, 500_000)),
                MadeUp.cell(fast, new Given(150_000, 3_000_000)),
                MadeUp.plain(fast, new Given(150_000, 1_000_000).late(3_000)));
        assertThat(text)
                .contains("latency     from the time at which each message was due; and the plain relay's\n"
                        + "    rate                      p50       p99     p99.9  over 1 ms late\n"
                        + "    100,000 msg/s  50 %      1 ms      1 ms      1 ms  0.00 %\n"
                        + "      plain relay          500 us    500 us    500 us  ratio 2.00, 2.00, 2.00\n"
                        + "    150,000 msg/s  75 %      3 ms      3 ms      3 ms  0.00 %\n"
                        + "      plain relay            1 ms    1 ms *    1 ms *  ratio 3.00, -, -\n"
                        + "    * includes the load generator's own lateness\n"
                        + "    no ratio, of 2 rates: own lateness in p99 at 1, in p99.9 at 1\n")
                .containsPattern("TCP +congestion control: cubic of the publishers, cubic of the relay;\\s+the plain");
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(text(
                        true,
                        MadeUp.cell(slow, new Given(100_000, 1_000_000)),
                        MadeUp.plain(slow, new Given(100_000, 500_000))))
                .contains("\nat 100,000 msg/s:\n", "\nat 100,000 msg/s, by the plain relay:\n");
    }

    @Test
    void aPlainRelayThatFailedOrHasUnlikeSocketsHasNoRatioAndAReason() {
        Load load = LOAD.withRate(100_000);
        Cell relay = MadeUp.cell(load, new Given(100_000, 1_000_000));
        SubscriberResult lost = new SubscriberResult(0, 1_000, new Faults(3, 0, 0, 0, 0, 0), Told.NOTHING, null, 0);
        assertThat(text(false, relay, MadeUp.plain(load, new Given(100_000, 500_000).of(lost)))
                        .replaceAll("\n +", " "))
                .contains(" FAIL: subscriber 0: 3 messages lost", "no ratio, of 1 rate: a failed run at 1 ")
                .doesNotContain("  ratio ");
        RunRecord run = LoadRuns.record(load.ofPlainRelay(), MadeUp.SECOND, 1, new Given(100_000, 500_000));
        Senders bbr = new Senders(Congestion.of("cubic"), Congestion.of("bbr"));
        assertThat(text(false, relay, MadeUp.plain(load, LoadRuns.sentBy(run, bbr)))
                        .replaceAll("\n +", " "))
                .contains(
                        "plain relay          500 us    500 us    500 us no ratio, of 1 rate: unlike congestion control"
                                + " at 1 ")
                .contains(
                        "cubic of the relay; beside the plain relay cubic of the publishers, bbr of the plain relay ");
    }

    @Test
    void aPlainRelayThatBrokeOffHasARowWithItsReason() {
        Load load = LOAD.withRate(100_000);
        RunRecord broken =
                RunRecord.partial(1, "2026-01-01T00:00:00Z", List.of("plain relay ended with exit code 137"));
        String text = text(true, MadeUp.cell(load, new Given(100_000, 1_000_000)), MadeUp.plain(load, broken));
        assertThat(text)
                .startsWith("100,000 msg/s delivered whole, p50 1 ms, p99 1 ms\nPASS: ")
                .doesNotContain("by the plain relay:");
        assertThat(text.replaceAll("\n? +", " "))
                .contains(
                        " plain relay - - - FAIL: plain relay ended with exit code 137",
                        " no ratio, of 1 rate: a failed run at 1 ");
    }

    /** Nothing of a plain relay is told where it was not measured, but for a relay elsewhere once why. */
    @Test
    void withoutAPlainRelayTheTableIsWithoutIt() {
        Cell relay = MadeUp.cell(LOAD.withRate(100_000), new Given(100_000, 1_000_000));
        assertThat(text(false, relay)).contains("message was due\n").doesNotContain("plain relay", "ratio");
        LaneResult elsewhere = new LaneResult(
                "host", LaneKind.REMOTE, false, null, null, MadeUp.loopback().places(), List.of(relay));
        assertThat(RunText.of(MadeUp.of(elsewhere), Cell.RELAY, "TCP", false))
                .containsOnlyOnce("plain")
                .containsPattern("message was due; none of a plain\\s+relay, as the relay is elsewhere\n");
    }

    @Test
    void unlikeCongestionControlHasNoShareOfTheCeilingButAReason() {
        Senders cubic = new Senders(Congestion.of("cubic"), Congestion.of("cubic"));
        Senders bbr = new Senders(Congestion.of("cubic"), Congestion.of("bbr"));
        Senders library = new Senders(new Congestion(List.of("bbr"), "it cannot choose"), Congestion.of("cubic"));
        assertThat(text(false, MadeUp.besideThePlainRelay(cubic, cubic)).replaceAll("\n +", " "))
                .startsWith("full speed 1,000 msg/s, 0.50 of the ceiling\n")
                .contains("this is 0.50 of it")
                .containsPattern("TCP +congestion control: cubic of the publishers, cubic of the relay; the"
                        + " plain relay's alike ");
        for (Senders other : List.of(bbr, library)) {
            assertThat(text(false, MadeUp.besideThePlainRelay(other, cubic)))
                    .startsWith("full speed 1,000 msg/s\n")
                    .doesNotContain("of it");
        }
        assertThat(text(false, MadeUp.besideThePlainRelay(library, cubic)).replaceAll("\n +", " "))
                .contains("216 kB/s by the plain relay; no share of unlike congestion control: bbr (it cannot choose)"
                        + " of the publishers, cubic of the relay; beside the plain relay cubic of the publishers,"
                        + " cubic of the plain relay ");
        assertThat(text(false, MadeUp.besideThePlainRelay(new Senders(Congestion.NONE, Congestion.NONE), cubic)))
                .doesNotContain("TCP  ");
    }

    private static String text(boolean explain, Cell... cells) {
        Results results = MadeUp.of(MadeUp.loopback(cells));
        return RunText.of(results.withNotes(RunSummary.of(results, Targets.NONE).lines()), Cell.RELAY, "TCP", explain);
    }
}

package dev.msgrelay.loadgen.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.run.Clients;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparerTest {
    private static final Origin ORIGIN = Origin.of(Instant.EPOCH, "compare", List.of());
    private static final Hops FAR = new Hops(230, 232);

    @Test
    void aClearDifferenceIsTold() {
        Results comparison = compare(MadeUp.loopback(10, 10.1, 10.2, 10.3), MadeUp.loopback(12, 12.1, 12.2, 12.3));
        Ratio out = change(comparison, Metric.OUT);
        assertThat(out.verdict()).isEqualTo("better");
        assertThat(out.ratio()).isEqualTo(12.15 / 10.15, within(0.001));
        assertThat(out.low()).isGreaterThan(1.1).isLessThan(out.ratio());
        assertThat(out.medianA()).isEqualTo(10.15, within(0.001));
        // The same CPU time for more messages.
        assertThat(change(comparison, Metric.CPU).verdict()).isEqualTo("better");
        assertThat(comparison.ratios()).as("at full speed there is no latency").hasSize(3);
        assertThat(comparison.notes()).isEmpty();
    }

    @Test
    void lessIsWorse() {
        Results comparison = compare(MadeUp.loopback(12, 12.1, 12.2, 12.3), MadeUp.loopback(10, 10.1, 10.2, 10.3));
        assertThat(change(comparison, Metric.OUT).verdict()).isEqualTo("worse");
        assertThat(change(comparison, Metric.CPU).verdict()).isEqualTo("worse");
    }

    @Test
    void whatOverlapsIsNoise() {
        Results comparison = compare(MadeUp.loopback(10, 11, 12, 13), MadeUp.loopback(10.1, 11.1, 12.1, 13.1));
        assertThat(change(comparison, Metric.OUT).verdict()).isEqualTo("noise");
    }

    @Test
    void inTurnTheSameRunsTellADifference() {
        Results a = MadeUp.loopback(10, 11, 12, 13, 14, 15);
        Results b = MadeUp.loopback(10.1, 11.1, 12.1, 13.1, 14.1, 15.1);
        assertThat(change(new Comparer(ORIGIN, a, b, false).allLanes(false), Metric.OUT)
                        .verdict())
                .isEqualTo("noise");
        Ratio paired = change(new Comparer(ORIGIN, a, b, true).allLanes(false), Metric.OUT);
        assertThat(paired.verdict()).isEqualTo("better");
        assertThat(paired.runsA()).isEqualTo(6);
    }

    @Test
    void roundsWithoutTheOtherSideAreNamed() {
        Results comparison =
                new Comparer(ORIGIN, MadeUp.loopback(1, 2, 3), MadeUp.loopback(1, 2), true).allLanes(false);
        assertThat(change(comparison, Metric.OUT).verdict()).isEqualTo("too few runs");
        assertThat(comparison.notes())
                .containsExactly(
                        "loopback, 1 -> 1, body 100, full speed, a, round 3: the other side has no such round");
    }

    @Test
    void tooFewRunsTellNothing() {
        Results comparison = compare(MadeUp.loopback(10, 10, 10), MadeUp.loopback(20, 20, 20, 20));
        assertThat(change(comparison, Metric.OUT).verdict()).isEqualTo("too few runs");
        assertThat(change(comparison, Metric.OUT).ratio()).isNaN();
        assertThat(ComparisonReport.table(comparison))
                .contains("noise: too few runs\n", "needs 4 runs on each side, or 6 rounds");
    }

    @Test
    void runsOfAnotherLengthAreComparedAndItIsSaid() {
        Results a = MadeUp.loopback(10, 10.1, 10.2, 10.3);
        Cell cell = a.lanes().get(0).cells().get(0);
        Results b = MadeUp.empty()
                .with(new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of()));
        for (RunRecord run : cell.runs()) {
            Moment longer = new Moment(run.moment().round(), run.moment().started(), 2_500_000_000L, 30_000_000_000L);
            b = b.with(
                    "loopback",
                    new Cell(cell.parameters(), null, List.of()),
                    new RunRecord(
                            longer,
                            run.hops(),
                            run.throughput(),
                            run.delays(),
                            run.correctness(),
                            run.resources(),
                            run.outcome()));
        }
        Results comparison = compare(a, b);
        assertThat(comparison.ratios())
                .extracting(Ratio::title)
                .containsOnly(comparison.ratios().get(0).title());
        assertThat(comparison.notes())
                .containsExactly(
                        "not left out although runs were of another length: a: 10 s after 2 s of warm-up, b: 30 s"
                                + " after 2.5 s of warm-up (1 cell)");
    }

    @Test
    void cellsOfDifferentBurstsHaveDifferentKeys() throws Exception {
        Results both = MadeUp.empty()
                .with(new LaneResult("loopback", LaneKind.LOOPBACK, false, null, null, Places.NEAR, List.of()));
        for (int burst : new int[] {1, 50}) {
            Parameters parameters =
                    new Parameters(new Parameters.Body("100", 100), 1, 1, 0, 1_000, 0, burst, 1, Clients.RAW);
            Cell cell = new Cell(parameters, null, List.of());
            both = both.with("loopback", cell, MadeUp.run(1, 1_000, new Hops(45, 45), cell, Outcome.PASS));
        }
        assertThat(compare(both, both).ratios().stream().map(Ratio::title).distinct())
                .hasSize(2)
                .first()
                .asString()
                .doesNotContain("burst");
    }

    @Test
    void regimesAreNotMixed() {
        Results a = MadeUp.loopback(10, 10, 10, 10);
        Results comparison = compare(a, MadeUp.loopback(FAR, 3, 3, 3, 3));
        assertThat(comparison.ratios()).isEmpty();
        assertThat(comparison.notes())
                .containsExactly(
                        "loopback, 1 -> 1, body 100, full speed: no two runs of one regime: a has 4 near, b has 4 far");
        Cell cell = a.lanes().get(0).cells().get(0);
        Results mixed = MadeUp.loopback(FAR, 3, 3, 3, 3);
        for (int round = 5; round <= 8; round++) {
            mixed = mixed.with("loopback", cell, MadeUp.run(round, 11, new Hops(45, 45), cell, Outcome.PASS));
        }
        comparison = compare(a, mixed);
        assertThat(comparison.ratios().get(0).title()).endsWith("(near, unpaired)");
        assertThat(change(comparison, Metric.OUT).medianB()).isEqualTo(11);
        assertThat(comparison.notes()).hasSize(4).allMatch(one -> one.endsWith("regime far, not near"));
    }

    @Test
    void runsThatStandForNothingAreNamed() {
        Results b = MadeUp.loopback(10, 10, 10, 10);
        Cell cell = b.lanes().get(0).cells().get(0);
        Hops near = new Hops(45, 45);
        b = b.with("loopback", cell, MadeUp.run(5, 99, near, cell, new Outcome(List.of("2 lost"), List.of(), false)))
                .with(
                        "loopback",
                        cell,
                        MadeUp.run(6, 99, near, cell, new Outcome(List.of(), List.of("disturbed"), false)))
                .with("loopback", cell, MadeUp.run(7, 99, near, cell, new Outcome(List.of(), List.of(), true)))
                .with("loopback", cell, MadeUp.run(8, 99, new Hops(45, 230), cell, Outcome.PASS));
        Results comparison = compare(MadeUp.loopback(10, 10, 10, 10), b);
        assertThat(change(comparison, Metric.OUT).medianB()).isEqualTo(10);
        assertThat(comparison.notes())
                .extracting(one -> one.substring(one.indexOf("round")))
                .containsExactly(
                        "round 5: FAIL: 2 lost", "round 6: disturbed", "round 7: partial", "round 8: regime changed");
    }

    @Test
    void otherMachinesAreNamedAndLeftOut() {
        Results a = MadeUp.loopback(10, 10, 10, 10);
        Machine other = new Machine(2, "Some CPU @ 3 GHz", "OpenJDK 25", "Linux 6.1", "bbr");
        Results b = Results.of(a.origin(), List.of(new Site("here", other)))
                .withLanes(a.lanes())
                .with(Ending.complete());
        Results comparison = compare(a, b);
        assertThat(comparison.ratios()).isEmpty();
        assertThat(comparison.notes())
                .containsExactly(
                        "everything: the machines differ: JDK OpenJDK 17.0.15 against OpenJDK 25; congestion control cubic against bbr");
        assertThat(new Comparer(ORIGIN, a, b, false).allLanes(true).ratios()).isNotEmpty();
    }

    @Test
    void cellsAndLanesOfOneSideAreNamed() {
        Results a = MadeUp.full();
        Results comparison = compare(a, MadeUp.loopback(10, 10, 10, 10));
        assertThat(comparison.notes())
                .contains(
                        "10gbe: not in b",
                        "25gbe: not in b",
                        "loopback, 4 -> 1, body uniform:16-1000, 20,000 msg/s, batch 10: not in b");
        assertThat(compare(a, a).notes())
                .contains("25gbe: skipped in a: no user namespaces: unshare: Operation not permitted");
    }

    @Test
    void twoLanesOfOneShootout() {
        Results shootout = MadeUp.loopback(10, 11, 12, 13, 14, 15);
        Cell unix = new Cell(MadeUp.parameters("100", 1), null, List.of());
        Results clean = shootout.with(new LaneResult("unix", LaneKind.UNIX, false, null, null, Places.NEAR, List.of()));
        for (int round = 1; round <= 6; round++) {
            clean = clean.with("unix", unix, MadeUp.run(round, 2 * (9 + round), new Hops(45, 45), unix, Outcome.PASS));
        }
        Results comparison = new Comparer(ORIGIN, clean, clean, true).lanes("loopback", "unix", false);
        assertThat(change(comparison, Metric.OUT).ratio()).isEqualTo(2, within(0.001));
        assertThat(ComparisonReport.table(comparison))
                .startsWith("loopback against unix, 1 -> 1, body 100, full speed (near, paired by round)");
    }

    private static Results compare(Results a, Results b) {
        return new Comparer(ORIGIN, a, b, false).allLanes(false);
    }

    private static Ratio change(Results comparison, Metric metric) {
        return comparison.ratios().stream()
                .filter(ratio -> ratio.figure().equals(metric.id()))
                .findFirst()
                .orElseThrow();
    }
}

package dev.msgrelay.loadgen.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaseResultTest {
    private static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private static final Metric FRACTION =
            Metric.atLeast(0.5, "of the ceiling", round -> round.rate("ours") / round.best(CeilingCells.CEILING));

    @Test
    void aRoundIsComparedWithTheBestOfItsCeilings() {
        CaseResult result = result(round(50, 60, 90, 80), round(50, 60, 30, 100), round(50, 60, 45, 90));
        assertThat(result.median(FRACTION)).isEqualTo(0.5);
        assertThat(result.medianCeiling()).isEqualTo(90);
        assertThat(FRACTION.isMet(result.median(FRACTION))).isTrue();
    }

    /** Subscribers say HELLO to a relay with another policy, and are cut off by it when they are slow. */
    @Test
    void everyRelayOfTheBenchmarkWaitsForItsSubscribers() throws Exception {
        assertThat(new Cases(100, 1, true, null).all().stream().flatMap(one -> one.ours().stream()))
                .allSatisfy(cell -> assertThat(cell.contestant().policy())
                        .as(cell.contestant().name())
                        .isEqualTo(Policy.BACKPRESSURE));
    }

    @Test
    void roundsOfAChangedMachineAreLeftOut() {
        CaseResult result = result(round(50, 55, 80, 100), round(50, 200, 10, 100), round(50, 60, 80, 100));
        assertThat(result.counted()).hasSize(2);
        assertThat(result.median(FRACTION)).isEqualTo(0.8);
    }

    @Test
    void roundsBesideOtherWorkAreLeftOutHoweverEvenlyTheyWereDisturbed() {
        CaseResult result = result(round(50, 55, 80, 100), round(90_000, 95_000, 10, 100));
        assertThat(result.counted()).hasSize(1);
        assertThat(result.median(FRACTION)).isEqualTo(0.8);
    }

    /** As a shootout leaves out such a run, and {@code run} calls its latency not usable. */
    @Test
    void roundsWhoseScheduleWasNotKeptAreLeftOutAndToldOf() throws Exception {
        Load paced = Load.oneToOne(100).withRate(1_000);
        LoadCell cell = LoadCell.here("ours", Contestants.plain(1), paced, SECOND, null);
        RunResult late = LoadRuns.result(cell.contestant(), paced, SECOND, new Given(1_000, 1_000, 20));
        Round marked = new Round(
                List.of(LoadRuns.judged(cell, new Hops(50, 50), late), run(CeilingCells.CEILING + "a", 100, 50, 50)));
        CaseResult result = result(marked, round(50, 60, 80, 100));
        assertThat(result.failures()).isEmpty();
        assertThat(result.median(FRACTION)).isEqualTo(0.8);
        assertThat(result.text())
                .contains("1 marked, 1 left out", "marked, ours in round 1: schedule not kept: 20 of 1,000 messages");
    }

    @Test
    void atFullSpeedALineHasTheTimeInQueueAndTheLongestGap() {
        BenchCase speed = new BenchCase("id", "title", List.of(cell("ours")), List.of(), List.of(FRACTION), 1);
        assertThat(new CaseResult(speed, List.of(), List.of(round(50, 50, 80, 100))).text())
                .contains("ours 80 msg/s (time in queue 1 us, longest gap 3 ms);");
    }

    @Test
    void whereNoRoundCountsAllOfThemStand() {
        CaseResult result = result(round(50, 200, 10, 100), round(50, 200, 20, 100), round(50, 200, 80, 100));
        assertThat(result.counted()).hasSize(3);
        assertThat(result.median(FRACTION)).isEqualTo(0.2);
    }

    @Test
    void boundsAreKeptToTheLetter() {
        assertThat(Metric.atLeast(1, "", round -> 0).isMet(1)).isTrue();
        assertThat(Metric.above(1, "", round -> 0).isMet(1)).isFalse();
        assertThat(Metric.atMost(1, "", round -> 0).isMet(1)).isTrue();
        assertThat(Metric.below(1, "", round -> 0).isMet(1)).isFalse();
    }

    private static CaseResult result(Round... rounds) {
        BenchCase benchCase = new BenchCase("id", "title", List.of(), List.of(), List.of(FRACTION), rounds.length);
        return new CaseResult(benchCase, List.of(), List.of(rounds));
    }

    @Test
    void aRoundWithARunThatDidNotComeToItsEndIsLeftOut() {
        Round broken = new Round(List.of(
                LoadRuns.run(cell("ours"), 1, new Hops(50, 50), null, List.of("relay ended"), List.of()),
                run(CeilingCells.CEILING + "a", 100, 50, 50)));
        CaseResult result = result(broken, round(50, 60, 80, 100));
        assertThat(result.median(FRACTION)).isEqualTo(0.8);
        assertThat(result.failures()).containsExactly("ours: relay ended");
    }

    private static Round round(double hopBefore, double hopAfter, long ours, long ceiling) {
        return new Round(List.of(
                run(CeilingCells.CEILING + "a", ceiling / 2, hopBefore, hopAfter),
                run("ours", ours, hopBefore, hopAfter),
                run(CeilingCells.CEILING + "b", ceiling, hopBefore, hopAfter)));
    }

    private static Run<RunResult> run(String name, long rate, double hopBefore, double hopAfter) {
        LoadCell cell = cell(name);
        RunResult result = LoadRuns.result(cell.contestant(), cell.load(), SECOND, new Given(rate, 1_000));
        return LoadRuns.run(cell, 1, new Hops(hopBefore, hopAfter), result, List.of(), List.of());
    }

    private static LoadCell cell(String name) {
        return LoadCell.here(name, Contestants.plain(1), Load.oneToOne(100), SECOND, null);
    }
}

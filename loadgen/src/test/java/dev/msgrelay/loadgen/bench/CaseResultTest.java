package dev.msgrelay.loadgen.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.Published;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Received;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class CaseResultTest {
    private static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private static final Metric FRACTION =
            Metric.atLeast(0.5, "of the ceiling", round -> round.of("ours").rate() / round.best(Cases.CEILING));

    @Test
    void aRoundIsComparedWithTheBestOfItsCeilings() {
        CaseResult result = result(round(50, 60, 90, 80), round(50, 60, 30, 100), round(50, 60, 45, 90));
        assertThat(result.median(FRACTION)).isEqualTo(0.5);
        assertThat(result.medianCeiling()).isEqualTo(90);
        assertThat(FRACTION.isMet(result.median(FRACTION))).isTrue();
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

    @Test
    void withoutEnoughSteadyRoundsAllOfThemCount() {
        CaseResult result = result(round(50, 200, 10, 100), round(50, 200, 20, 100), round(50, 60, 80, 100));
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

    private static Round round(double hopBefore, double hopAfter, long ours, long ceiling) {
        return new Round(List.of(
                sample(Cases.CEILING + "a", ceiling / 2, hopBefore, hopAfter),
                sample("ours", ours, hopBefore, hopAfter),
                sample(Cases.CEILING + "b", ceiling, hopBefore, hopAfter)));
    }

    private static Sample sample(String name, long rate, double hopBefore, double hopAfter) {
        Load load = Load.oneToOne(100);
        Contender contender = new Contender(name, Middles.plain(1), load, SECOND);
        Traffic traffic = new Traffic(rate, 0, SECOND.measured().toNanos());
        RunResult result = new RunResult(
                name,
                load,
                SECOND,
                new Published(traffic, rate, Punctuality.NONE),
                new Received(traffic, List.of(), new Histogram(3), 0, Arrivals.Skew.NONE),
                List.of(),
                List.of(),
                null,
                null);
        return new Sample(contender, result, hopBefore, hopAfter, List.of());
    }
}

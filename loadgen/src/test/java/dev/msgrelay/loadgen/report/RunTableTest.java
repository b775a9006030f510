package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.Resources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Sampled;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** One run for people. */
class RunTableTest {
    private static final BoundBy DOUBTFUL = new BoundBy(
            BoundBy.Kind.MACHINE,
            Confidence.MEDIUM,
            List.of("no core was idle", "much waits"),
            List.of(BoundBy.Kind.RELAY_CPU, BoundBy.Kind.PUBLISHER),
            List.of("queues", "the ring"));

    @Test
    void aNewcomerGetsTheVerdictFirstInAFewLines() {
        String text = table(Outcome.PASS, DOUBTFUL, false);
        assertThat(text.lines().count()).isLessThanOrEqualTo(15);
        assertThat(text)
                .startsWith("PASS: 230,000,000 messages arrived, every byte checked, ")
                .contains("1 publisher -> 1 subscriber, 100-byte bodies, full speed, TCP, lane loopback");
        assertThat(text).containsPattern("full speed +23 M msg/s, 2.48 GB/s delivered");
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(170));
        assertThat(text).contains("no core was idle").doesNotContain("much waits");
    }

    @Test
    void doubtsAreToldAndOnDemandTheReasonsAndWhatWasNotSeen() {
        assertThat(table(Outcome.PASS, DOUBTFUL, false))
                .containsPattern(
                        "bound by +machine \\(medium confidence; or relay CPU, or publisher\\): no core was idle\n");
        assertThat(table(Outcome.PASS, DOUBTFUL, true))
                .contains("\n  no core was idle\n  much waits\n  not seen: queues, the ring\n")
                .contains("3 garbage collections")
                .containsPattern("publisher 0 +here");
    }

    @Test
    void aRateThatWasKeptNeedsNoExcuse() {
        BoundBy bound =
                new BoundBy(BoundBy.Kind.NOTHING, Confidence.HIGH, List.of("kept"), List.of(), List.of("queues"));
        assertThat(table(Outcome.PASS, bound, true))
                .containsPattern("bound by +nothing: kept\n")
                .doesNotContain("not seen");
    }

    @Test
    void whatIsWrongIsCountedAndNamed() {
        Outcome lost = new Outcome(List.of("subscriber 0: 3 messages lost"), List.of(), List.of(), false);
        assertThat(table(lost, DOUBTFUL, false))
                .startsWith("FAIL: 230,000,000 messages arrived, every byte checked, 3 lost, 1 corrupted\n"
                        + "  subscriber 0: 3 messages lost\n");
    }

    @Test
    void aBusyMachineIsToldInTheFirstLineAndWhatBecameOfTheRunBelow() {
        Outcome said =
                new Outcome(List.of(), List.of("one"), List.of(new Observed(Observed.Kind.STOOD_STILL, "two")), false);
        String text = table(said, DOUBTFUL, false);
        assertThat(text.lines().findFirst().orElseThrow()).startsWith("PASS: ").endsWith("; the machine was busy: one");
        assertThat(text).containsPattern("observed +full speed: two\n");
    }

    @Test
    void aRateThatWasNotReachedDoesNotStandThereAsIfItHadBeen() {
        Load load = Load.oneToOne(100).withCounts(2, 1).withRate(1_000);
        assertThat(table(Outcome.PASS, DOUBTFUL, false, load, signals(new Rates(2_000, 700, 650, 0, 10))))
                .containsPattern("2 k msg/s .*; 700 left, 650 reached each subscriber\n");
        assertThat(table(Outcome.PASS, DOUBTFUL, false, load, signals(new Rates(2_000, 2_000, 2_000, 0, 10))))
                .containsPattern("2 k msg/s .* %\n");
    }

    @Test
    void aPercentileWithTheGeneratorsOwnLatenessHasAStar() {
        RunTable.Part late = part(10_000, 20_000);
        assertThat(late.isKept()).isFalse();
        assertThat(late.percentile(50)).doesNotContain("*");
        assertThat(late.percentile(99)).endsWith(" *");
        assertThat(part(10_000, 5).percentile(99.9)).doesNotContain("*");
    }

    @Test
    void theHeadlineIsTheHighestRateThatWasKept() {
        List<RunTable.Part> curve = List.of(part(10_000, 0), part(50_000, 5), part(90_000, 20_000));
        assertThat(RunTable.headline(curve, null)).containsExactly("highest rate kept: 50 k msg/s, p99 1 ms");
        assertThat(RunTable.headline(curve, 2_000_000L))
                .containsExactly("highest rate kept with p99 within 2 ms: 50 k msg/s, p99 1 ms");
        assertThat(RunTable.headline(curve, 1_000L))
                .containsExactly("no rate was kept with p99 within 1 us: at most 0.1 % of the messages may leave late");
        assertThat(RunTable.headline(List.of(), null)).isEmpty();
    }

    /** A rate of which so many of a million messages left late. */
    private static RunTable.Part part(int rate, long late) {
        RunRecord made = MadeUp.run(1, rate, new Cell(MadeUp.parameters("100", 1), null, List.of()), Outcome.PASS);
        Histogram lateness = new Histogram(3);
        lateness.recordValueWithCount(1, 1_000_000);
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(1_000_000, 1_000_000);
        Resources all = made.resources();
        RunRecord run = new RunRecord(
                made.moment(),
                made.throughput(),
                new Delays(latency, 1, null, null),
                new Correctness(true, List.of(), List.of(), new Punctuality(late, 1, lateness)),
                new Resources(
                        all.processes(), all.relay(), DOUBTFUL, signals(new Rates(rate, rate, rate, late / 1e6, 10))),
                Outcome.PASS);
        return new RunTable.Part(run, Load.oneToOne(100).withRate(rate));
    }

    @Test
    void whatNobodyToldIsNotZero() {
        assertThat(table(Outcome.PASS, DOUBTFUL, true, Load.oneToOne(100), signals(new Rates(0, 700, 650, 0, 10))))
                .contains(
                        "longest gap between two deliveries to a subscriber unknown",
                        "publishers unknown, subscribers unknown")
                .doesNotContain(" 0 ns\n");
    }

    private static Signals signals(Rates rates) {
        return new Signals(rates, Sampled.NOTHING, null, LinkShare.UNKNOWN, Standstills.NONE);
    }

    private static String table(Outcome outcome, BoundBy bound, boolean explain) {
        return table(outcome, bound, explain, Load.oneToOne(100), null);
    }

    /** @param signals null: those that are made up */
    private static String table(Outcome outcome, BoundBy bound, boolean explain, Load load, Signals signals) {
        Cell cell = new Cell(MadeUp.parameters("100", 1), null, List.of());
        RunRecord made = MadeUp.run(1, 23e6, cell, outcome);
        Resources all = made.resources();
        RunRecord run = new RunRecord(
                made.moment(),
                made.throughput(),
                made.delays(),
                made.correctness(),
                new Resources(all.processes(), all.relay(), bound, signals == null ? all.signals() : signals),
                outcome);
        Results results = MadeUp.loopback().with("loopback", cell, run);
        RunTable.Part part = new RunTable.Part(run, load);
        return RunTable.of(results, List.of(part), "relay", "TCP", explain);
    }
}

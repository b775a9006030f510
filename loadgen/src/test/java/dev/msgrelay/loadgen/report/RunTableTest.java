package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.BoundBy.Confidence;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.LinkShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.RunResult.Resources;
import java.util.List;
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
    void aNewcomerGetsAtMostFifteenLinesAndTheVerdictLast() {
        String text = table(Outcome.PASS, DOUBTFUL, false);
        assertThat(text.lines().count()).isLessThanOrEqualTo(15);
        assertThat(text)
                .endsWith("\nPASS (messages)\n")
                .contains("1 publisher -> 1 subscriber, 100-byte bodies, full speed, TCP");
        assertThat(text).containsPattern("speed +23 M msg/s, 2.48 GB/s delivered");
        assertThat(text)
                .contains("230,000,000 came, every byte was checked: none lost, duplicated, out of order, corrupted");
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(160));
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
                .contains("3 lost, 1 corrupted")
                .endsWith("\nFAIL (messages)\n  subscriber 0: 3 messages lost\n");
    }

    @Test
    void whatTheMachineDidAndWhatBecameOfTheRunAreSaidBesideTheVerdict() {
        Outcome said = new Outcome(
                List.of(),
                List.of("one"),
                List.of(
                        new Observed(Observed.Kind.STOOD_STILL, "two"),
                        new Observed(Observed.Kind.SCHEDULE_MISSED, "three")),
                false);
        assertThat(table(said, DOUBTFUL, false))
                .endsWith("\nPASS (messages); speed: the machine was busy: one;\n      two; 1 more with --explain\n");
        assertThat(table(said, DOUBTFUL, true)).contains("\nthree\n");
    }

    @Test
    void aRateThatWasNotReachedDoesNotStandThereAsIfItHadBeen() {
        Load load = Load.oneToOne(100).withCounts(2, 1).withRate(1_000);
        assertThat(table(Outcome.PASS, DOUBTFUL, false, load, signals(new Rates(2_000, 700, 650, 0, 10))))
                .containsPattern("latency +at 2 k msg/s, of which 700 left and 650 reached each subscriber, from");
        assertThat(table(Outcome.PASS, DOUBTFUL, false, load, signals(new Rates(2_000, 2_000, 2_000, 0, 10))))
                .containsPattern("latency +at 2 k msg/s, from");
    }

    @Test
    void whatNobodyToldIsNotZero() {
        assertThat(table(Outcome.PASS, DOUBTFUL, true, Load.oneToOne(100), signals(new Rates(0, 700, 650, 0, 10))))
                .contains("longest gap between two deliveries: unknown\n", "publishers unknown, subscribers unknown")
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

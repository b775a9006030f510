package dev.msgrelay.loadgen.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Punctuality.Means;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    private final Conditions conditions = new Conditions();

    @Test
    void publishersThatHadOtherMeansAreTold() {
        RunRecord plain = paced(Means.NONE);
        RunRecord prompt = paced(new Means(true, true, ""));
        conditions.add(List.of(plain, plain), List.of(plain));
        assertThat(conditions.notices()).isEmpty();
        conditions.add(List.of(plain, plain), List.of(prompt));
        conditions.add(List.of(plain), List.of(prompt));
        assertThat(conditions.notices())
                .containsExactly(
                        "not left out although publishers had other means to keep their schedule: a: usual priority, b:"
                                + " real-time priority, cores kept awake (2 cells)");
    }

    @Test
    void warmUpsThatWaitedForASteadySpeedDifferFromRunToRun() {
        List<RunRecord> eight = List.of(warm(8_000), warm(9_500));
        conditions.add(eight, List.of(warm(8_600), warm(10_000)));
        assertThat(conditions.notices()).isEmpty();
        conditions.add(eight, List.of(warm(4_000), warm(4_000)));
        assertThat(conditions.notices())
                .containsExactly("not left out although runs were of another length: a: 10 s after 8 to 9.5 s of"
                        + " warm-up, b: 10 s after 4 s of warm-up (1 cell)");
    }

    private static RunRecord warm(long millis) {
        RunRecord run = paced(Means.NONE);
        RunRecord.Moment moment = run.moment();
        return new RunRecord(
                new RunRecord.Moment(moment.round(), moment.started(), millis * 1_000_000, moment.measuredNanos()),
                run.hops(),
                run.throughput(),
                run.delays(),
                run.correctness(),
                run.resources(),
                run.outcome());
    }

    private static RunRecord paced(Means means) {
        Histogram sent = new Histogram(1);
        sent.recordValueWithCount(1, 10_000);
        Parameters parameters = new Parameters(new Parameters.Body("100", 100), 1, 1, 0, 1_000, 0, 1, 1, Clients.RAW);
        RunRecord run = MadeUp.run(1, 1_000, new Hops(45, 45), new Cell(parameters, null, List.of()), Outcome.PASS);
        return new RunRecord(
                run.moment(),
                run.hops(),
                run.throughput(),
                run.delays(),
                new Correctness(true, run.correctness().subscribers(), List.of(), new Punctuality(0, 0, sent, means)),
                run.resources(),
                run.outcome());
    }
}

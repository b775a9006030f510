package dev.msgrelay.loadgen.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Correctness.Schedule;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.result.Outcome;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Shootouts;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    private final Conditions conditions = new Conditions();

    @Test
    void publishersThatHadOtherMeansAreTold() {
        RunRecord plain = paced("usual priority");
        RunRecord prompt = paced("real-time priority, cores kept awake");
        conditions.add(List.of(plain, plain), List.of(plain));
        assertThat(conditions.notices()).isEmpty();
        conditions.add(List.of(plain, plain), List.of(prompt));
        conditions.add(List.of(plain), List.of(prompt));
        conditions.add(List.of(plain), List.of(paced(null)));
        assertThat(conditions.notices())
                .containsExactly(
                        "not left out although publishers had other means to keep their schedule: a: usual priority, b:"
                                + " real-time priority, cores kept awake (2 cells)",
                        "not left out although publishers had other means to keep their schedule: a: usual priority, b:"
                                + " not told (1 cell)");
    }

    private static RunRecord paced(String means) {
        Parameters parameters = new Parameters(Parameters.Body.fixed(100), 1, 1, 0, 1_000, 0, 1);
        RunRecord run = Shootouts.run(1, 1_000, new Hops(45, 45), new Cell(parameters, null, List.of()), Outcome.PASS);
        return new RunRecord(
                run.moment(),
                run.hops(),
                run.throughput(),
                run.delays(),
                new Correctness(true, run.correctness().subscribers(), new Schedule(10_000, 0, 0, means)),
                run.resources(),
                run.outcome());
    }
}

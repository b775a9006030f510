package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;

import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Traffic;
import java.util.List;

/** Records of runs for tests. */
public final class Runs {
    private static final long SECOND = 1_000_000_000L;

    private Runs() {}

    public static RunRecord run(long messages) {
        return run(messages, Outcome.PASS);
    }

    static RunRecord disturbed(long messages) {
        return run(messages, new Outcome(List.of(), List.of("other programs took 43 %"), List.of(), false));
    }

    static RunRecord stoodStill(long messages) {
        Observed still = new Observed(Observed.Kind.STOOD_STILL, "deliveries stood still 3 times");
        return run(messages, new Outcome(List.of(), List.of(), List.of(still), false));
    }

    static RunRecord failed(long messages) {
        return run(messages, new Outcome(List.of("3 lost"), List.of(), List.of(), false));
    }

    static RunRecord run(long messages, Outcome outcome) {
        Traffic flow = new Traffic(messages, messages * 108, SECOND);
        return new RunRecord(
                new Moment(1, "2026-01-01T00:00:00Z", 0, SECOND),
                new Throughput(flow, flow, Double.NaN, 0.5, List.of()),
                Delays.NONE,
                new Correctness(true, List.of(), List.of(), Punctuality.NONE),
                Resources.NONE,
                outcome);
    }
}

package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Resources;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.List;

/** Records of runs for tests. */
public final class Runs {
    private static final long SECOND = 1_000_000_000L;

    private Runs() {}

    public static RunRecord run(double hopBefore, double hopAfter, long messages) {
        return run(hopBefore, hopAfter, messages, List.of());
    }

    public static RunRecord run(double hopBefore, double hopAfter, long messages, List<String> failures) {
        Hops hops = new Hops(hopBefore, hopAfter);
        Traffic flow = new Traffic(messages, messages * 108, SECOND);
        return new RunRecord(
                new Moment(1, "2026-01-01T00:00:00Z", 0, SECOND),
                hops,
                new Throughput(flow, flow, Double.NaN, 0.5, List.of()),
                Delays.NONE,
                new Correctness(true, List.of(), List.of(), Punctuality.NONE),
                Resources.NONE,
                new Outcome(failures, hops.marks(), false));
    }

    /** The same, with one more mark. */
    static RunRecord marked(RunRecord run, String mark) {
        return new RunRecord(
                run.moment(),
                run.hops(),
                run.throughput(),
                run.delays(),
                run.correctness(),
                run.resources(),
                new Outcome(List.of(), List.of(mark), false));
    }
}

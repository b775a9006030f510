package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.result.Moment;
import dev.msgrelay.loadgen.result.Outcome;
import dev.msgrelay.loadgen.result.Resources;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecords;
import dev.msgrelay.loadgen.result.Throughput;
import java.util.List;

/** Records of runs for tests. */
final class Runs {
    private static final long SECOND = 1_000_000_000L;

    private Runs() {}

    static RunRecord run(double hopBefore, double hopAfter, long messages) {
        return run(hopBefore, hopAfter, messages, List.of());
    }

    static RunRecord run(double hopBefore, double hopAfter, long messages, List<String> failures) {
        Hops hops = new Hops(hopBefore, hopAfter);
        Flow flow = new Flow(messages, messages * 108, SECOND);
        return new RunRecord(
                new Moment(1, "2026-01-01T00:00:00Z", 0, SECOND),
                hops,
                new Throughput(flow, flow, Double.NaN, 0.5, List.of()),
                Delays.NONE,
                new Correctness(true, List.of(), Correctness.Schedule.NONE),
                new Resources(List.of(), null),
                new Outcome(failures, RunRecords.marks(hops.regime()), false));
    }
}

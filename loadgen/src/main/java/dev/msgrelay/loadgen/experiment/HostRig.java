package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.ssh.SshSite;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** This host, and a second one where a lane leads there. */
public final class HostRig implements LoadRig {
    /** Clocks that went apart by more than this within a run make its latencies doubtful. */
    private static final long MAX_DRIFT_NANOS = 200_000;

    private static final double NANOS_PER_MICRO = 1e3;

    /** Clocks of other hosts are measured right before and right after it. */
    @Override
    public RunResult run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException {
        List<SshSite> others = Stream.of(
                        cell.placement().publishers(), cell.placement().subscribers())
                .filter(SshSite.class::isInstance)
                .map(SshSite.class::cast)
                .distinct()
                .toList();
        for (SshSite other : others) {
            other.measureClock();
        }
        Load load = cell.load().withPolicy(cell.contestant().policy());
        RunResult result = new LoadRun(cell.contestant(), cell.placement(), load, cell.timing(), observer).run();
        long drift = 0;
        for (SshSite other : others) {
            other.measureClock();
            drift = Math.max(drift, Math.abs(other.clockDriftNanos()));
        }
        List<String> marks = drift <= MAX_DRIFT_NANOS
                ? List.of()
                : List.of(format("the hosts' clocks went apart by %.0f us", drift / NANOS_PER_MICRO));
        return result.withMarks(marks);
    }
}

package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import java.io.IOException;

/** This host: each run has its own processes. */
public final class HostRig implements LoadRig {
    @Override
    public RunResult run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException {
        Load load = cell.load().withPolicy(cell.contestant().policy());
        return new LoadRun(cell.contestant(), cell.placement(), load, cell.timing(), observer).run();
    }
}

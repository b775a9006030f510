package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.result.RunRecord;
import java.io.IOException;

/** Starts the processes of runs. Tests replace it. */
@FunctionalInterface
public interface Rig {
    /** Starts new processes for each run. */
    Rig OWN = LoadRun::alone;

    RunRecord run(Plan plan, int round, RunObserver observer) throws IOException, RunException, InterruptedException;
}

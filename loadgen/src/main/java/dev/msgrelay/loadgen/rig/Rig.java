package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.result.RunRecord;
import java.io.IOException;

/** The starter of a run's processes; tests have their own. */
@FunctionalInterface
public interface Rig {
    /** Each run has its own processes. */
    Rig OWN = LoadRun::alone;

    /** Makes one run; it throws where the run did not come to its end. */
    RunRecord run(Plan plan, int round, RunObserver observer) throws IOException, RunException, InterruptedException;
}

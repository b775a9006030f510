package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.result.RunRecord;
import java.io.IOException;

/** The starter of a run's processes: a test puts another one in its place. */
@FunctionalInterface
public interface Rig {
    /** Each run has its own processes. */
    Rig OWN = LoadRun::alone;

    /** Does one run; a {@link RunException}: it did not come to its end. */
    RunRecord run(Plan plan, int round, RunObserver observer) throws IOException, RunException, InterruptedException;
}

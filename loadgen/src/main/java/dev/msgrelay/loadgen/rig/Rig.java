package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.result.RunRecord;
import java.io.IOException;

/** The starter of a run's processes: a test puts another one in its place. */
@FunctionalInterface
public interface Rig {
    /** Each run has its own processes. */
    Rig OWN = (plan, round, observer) -> new LoadRun(plan, round, observer).run();

    /** Whatever comes before a run and is no part of it: nothing, mostly. */
    default void prepare(Plan plan, RunObserver observer) throws IOException, RunException, InterruptedException {}

    /** Does one run; a {@link RunException}: it did not come to its end. */
    RunRecord run(Plan plan, int round, RunObserver observer) throws IOException, RunException, InterruptedException;
}

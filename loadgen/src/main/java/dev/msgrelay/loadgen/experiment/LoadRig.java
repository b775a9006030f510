package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import java.io.IOException;

/** Starts the processes of a run: a test puts another one in its place. */
@FunctionalInterface
public interface LoadRig {
    /** What comes before a run of the cell and is no part of it: nothing, mostly. */
    default void prepare(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException {}

    /**
     * Does one run.
     *
     * @return not judged yet
     * @throws RunException it did not come to its end
     */
    RunResult run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException;
}

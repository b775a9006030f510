package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import java.io.IOException;

/** Starts the processes of a run: a test puts another one in its place. */
@FunctionalInterface
public interface LoadRig {
    /**
     * Does one run.
     *
     * @return with marks where there are any; it need not judge the result
     * @throws RunException it did not come to its end
     */
    Measured<RunResult> run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException;
}

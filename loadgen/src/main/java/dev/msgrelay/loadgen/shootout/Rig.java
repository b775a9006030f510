package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.util.List;

/** What measures: the machine, or what a test puts in its place. */
public interface Rig {
    /**
     * A run that came to its end.
     *
     * @param marks what a reader has to know of it; mostly empty
     * @param latencyErrorNanos by how much latencies may be wrong because they were taken with two hosts' clocks; else 0
     */
    record Outcome(RunResult result, List<String> marks, long latencyErrorNanos) {}

    /**
     * What a lane gives to one TCP connection without a relay.
     *
     * @param rawBytesPerSecond from one of our own workers to another
     */
    record Baseline(double rawBytesPerSecond, LinkBaseline.Iperf iperf3) {}

    /** Nanoseconds of a core-to-core hop, now; NaN where it cannot be measured. */
    double hopNanos() throws InterruptedException;

    /**
     * Does one run.
     *
     * @throws RunException it did not come to its end
     */
    Outcome run(Middle middle, Placement placement, Load load, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException;

    /**
     * Measures what a lane gives without a relay.
     *
     * @param from where the bytes come from
     */
    Baseline baseline(Lane lane, End from, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException;
}

package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.HostRig;
import dev.msgrelay.loadgen.shootout.Rig;
import java.io.IOException;

/** A rig that tells a run which failed by itself from one whose processes a Ctrl-C has ended. */
record GuardedRig(Rig rig, Interrupts interrupts) implements Rig {
    /**
     * This host's.
     *
     * @param realTime whether publishers of a fixed rate may run before others
     */
    GuardedRig(boolean realTime, Interrupts interrupts) {
        this(new HostRig(realTime), interrupts);
    }

    @Override
    public double hopNanos() throws InterruptedException {
        return rig.hopNanos();
    }

    @Override
    public Outcome run(Middle middle, Placement placement, Load load, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        return interrupts.orInterrupted(() -> rig.run(middle, placement, load, timing, observer));
    }

    @Override
    public Baseline baseline(Lane lane, End from, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        Baseline baseline = interrupts.orInterrupted(() -> rig.baseline(lane, from, timing, observer));
        // iperf3 gets the same signal, and says that as if it were all that can be said of it.
        interrupts.check();
        return baseline;
    }
}

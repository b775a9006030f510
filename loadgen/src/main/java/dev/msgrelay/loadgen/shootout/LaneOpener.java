package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneUnavailableException;

/** Opens lanes. */
@FunctionalInterface
public interface LaneOpener {
    /**
     * Opens one.
     *
     * @throws LaneUnavailableException it cannot be had; nothing of it is left
     */
    Lane open(LaneSpec spec) throws LaneUnavailableException, InterruptedException;
}

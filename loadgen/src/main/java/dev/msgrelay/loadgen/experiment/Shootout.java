package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import java.util.List;

/**
 * The tasks of a shootout.
 *
 * @param baseline whether one connection without a relay is measured, too, on lanes with a link
 */
public record Shootout(List<LaneSpec> lanes, List<Load> loads, int rounds, Timing timing, boolean baseline) {
    /** More cells (loads times lanes) than this are refused: somebody mistyped a list. */
    public static final int MAX_CELLS = 500;
}

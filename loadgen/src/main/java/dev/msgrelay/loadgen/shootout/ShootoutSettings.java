package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Timing;
import java.util.List;

/**
 * The tasks of a shootout.
 *
 * @param lanes in the order in which they run
 * @param loads what runs on each of them
 * @param rounds how often each load runs on each lane
 * @param timing of every run
 */
public record ShootoutSettings(
        List<LaneSpec> lanes, List<Load> loads, int rounds, Timing timing, Sides sides, Yardsticks yardsticks) {
    /** More cells (loads times lanes) than this are refused: somebody mistyped a list. */
    public static final int MAX_CELLS = 500;

    public ShootoutSettings {
        lanes = List.copyOf(lanes);
        loads = List.copyOf(loads);
    }

    /** How many different things are measured, ceilings not counted. */
    public int cells() {
        return lanes.size() * loads.size();
    }

    /** Whether ceilings of this lane are measured, as far as that is known before it is open. */
    boolean isCalibrated(LaneSpec lane) {
        return yardsticks.calibrate() && !lane.isApart();
    }

    /**
     * Which end of a lane publishers and subscribers live at; the relay is at the near one.
     *
     * @param door how publishers at the relay's end of a link get into it
     */
    public record Sides(End publishers, End subscribers, Door door) {
        /** Whether publishers of this lane connect to the relay's Unix socket, and subscribers do not. */
        public boolean publishOverUnix(Lane lane) {
            return door == Door.UNIX && publishers == End.NEAR && lane.isApart();
        }
    }

    /** How publishers get into a relay beside them. */
    public enum Door {
        TCP,
        /** The fast path between two processes of a host. */
        UNIX
    }

    /**
     * Yardsticks beside arithmetic.
     *
     * @param calibrate whether the ceilings of lanes without a line rate are measured, in every round, one run each
     * @param baseline whether it is measured what lanes with a link give without a relay, in every round
     */
    public record Yardsticks(boolean calibrate, boolean baseline) {}
}

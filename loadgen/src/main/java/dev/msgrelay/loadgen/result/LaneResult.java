package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.lane.LaneKind;
import java.util.ArrayList;
import java.util.List;

/**
 * What one lane gave.
 *
 * @param name unique within the shootout
 * @param emulated a link that traffic control plays, not a real one; every label says so
 * @param skipped why nothing was measured on it, or null
 * @param link null where there is none: loopback, Unix sockets; or where nobody tells its speed: to another host
 */
public record LaneResult(
        String name, LaneKind kind, boolean emulated, String skipped, LinkFacts link, Places places, List<Cell> cells) {
    public LaneResult {
        cells = List.copyOf(cells);
    }

    /** A lane that could not be set up. */
    public static LaneResult skipped(String name, LaneKind kind, boolean emulated, String reason) {
        return new LaneResult(name, kind, emulated, reason, null, Places.NEAR, List.of());
    }

    /** The name for people: "10gbe (emulated)". */
    public String label() {
        return emulated ? name + " (emulated)" : name;
    }

    /** The same with one run more, in the cell of these parameters, which is there or comes last. */
    LaneResult with(Cell cell, RunRecord run) {
        List<Cell> next = new ArrayList<>(cells);
        for (int i = 0; i < next.size(); i++) {
            if (next.get(i).parameters().equals(cell.parameters())) {
                next.set(i, next.get(i).with(run));
                return new LaneResult(name, kind, emulated, skipped, link, places, next);
            }
        }
        next.add(cell.with(run));
        return new LaneResult(name, kind, emulated, skipped, link, places, next);
    }
}

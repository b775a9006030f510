package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Regime;
import java.util.List;

/**
 * A cell of both sides.
 *
 * @param laneA its label
 * @param laneB its label
 * @param changes of the figures that both sides have
 */
public record CellComparison(
        String laneA, String laneB, Parameters parameters, Regime regime, boolean paired, List<Change> changes) {
    public CellComparison {
        changes = List.copyOf(changes);
    }

    /** "loopback", or "loopback against unix". */
    public String lanes() {
        return laneA.equals(laneB) ? laneA : laneA + " against " + laneB;
    }
}

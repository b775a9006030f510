package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Regime;
import java.util.List;
import java.util.Map;

/**
 * One run of one side.
 *
 * @param number from 0, of both sides together
 * @param round from 0: runs of one side and round went through the same process
 * @param regime of the cores, by the hops right before and right after it
 * @param figures NaN where it has none
 * @param late whether the publishers did not keep their schedule
 * @param faults what became of the messages that should not have; empty for a valid run
 */
public record Turn(
        Side side,
        int number,
        int round,
        Regime regime,
        Map<Figure, Double> figures,
        boolean late,
        List<String> faults) {
    public Turn {
        figures = Map.copyOf(figures);
        faults = List.copyOf(faults);
    }
}

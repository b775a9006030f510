package dev.msgrelay.loadgen.compare;

import java.util.Map;

/**
 * What one run of one side gave. Of an hour of runs there is no room for more than the figures.
 *
 * @param round from 0: runs of one side and round went through the same process
 * @param figures NaN where it has none
 */
public record Turn(Side side, int round, Map<Figure, Double> figures) {
    public Turn {
        figures = Map.copyOf(figures);
    }
}

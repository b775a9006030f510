package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Verdict;
import java.util.List;
import java.util.Map;

/**
 * What one run of one side gave. Of an hour of runs there is no room for more than the figures.
 *
 * @param round from 0: runs of one side and round went through the same process
 * @param figures NaN where it has none
 * @param late whether the publishers did not keep their schedule
 */
public record Turn(Side side, int round, Map<Figure, Double> figures, boolean late) {
    public Turn {
        figures = Map.copyOf(figures);
    }

    static Turn of(Side side, int round, List<Figure> figures, RunResult result) {
        return new Turn(
                side,
                round,
                Figure.of(figures, result),
                !Verdict.failures(result.published().punctuality()).isEmpty());
    }
}

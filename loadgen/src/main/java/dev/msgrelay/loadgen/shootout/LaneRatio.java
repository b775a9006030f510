package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * How fast a cell was on one lane, compared with the same on another: the median of the rounds' ratios. Only pairs count
 * that ran in the same round, on cores placed alike.
 *
 * @param ratio of deliveries a second; none known where no pair counts
 * @param pairs how many there were
 */
public record LaneRatio(Spread ratio, int pairs) {

    public static LaneRatio of(Cell cell, Cell reference, RegimeChoice choice) {
        List<Double> ratios = new ArrayList<>();
        for (RunRecord run : choice.counted(cell.runs())) {
            choice.counted(reference.runs()).stream()
                    .filter(other -> other.moment().round() == run.moment().round())
                    .filter(other -> other.throughput().out().messages() > 0)
                    .findFirst()
                    .ifPresent(other -> ratios.add(run.throughput().out().messagesPerSecond()
                            / other.throughput().out().messagesPerSecond()));
        }
        return new LaneRatio(Spread.of(ratios, Double::doubleValue), ratios.size());
    }
}

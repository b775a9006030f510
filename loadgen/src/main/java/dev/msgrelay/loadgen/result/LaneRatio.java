package dev.msgrelay.loadgen.result;

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

    public static LaneRatio of(Cell cell, Cell reference) {
        List<Double> ratios = new ArrayList<>();
        for (RunRecord run : cell.runs()) {
            reference.runs().stream()
                    .filter(other -> run.counts() && other.counts())
                    .filter(other -> other.moment().round() == run.moment().round())
                    .filter(other -> other.hops().regime() == run.hops().regime())
                    .filter(other -> other.throughput().out().messages() > 0)
                    .findFirst()
                    .ifPresent(other -> ratios.add(Figures.out(run) / Figures.out(other)));
        }
        return new LaneRatio(Spread.of(ratios, Double::doubleValue), ratios.size());
    }
}

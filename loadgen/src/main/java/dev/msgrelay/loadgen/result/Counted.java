package dev.msgrelay.loadgen.result;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The runs of a cell that stand for it: those that count and were taken in one regime, the one that most of them were
 * taken in. On cores that are placed differently the same relay is another one.
 *
 * @param regime UNKNOWN when there are none
 * @param total how many runs the cell has, with those that are left out
 */
public record Counted(Regime regime, List<RunRecord> runs, int total) {
    public Counted {
        runs = List.copyOf(runs);
    }

    /** Of a cell. Of two regimes with equally many runs it is the first of {@link Regime}. */
    public static Counted of(Cell cell) {
        Map<Regime, Long> sizes = new EnumMap<>(Regime.class);
        cell.runs().stream()
                .filter(RunRecord::counts)
                .forEach(run -> sizes.merge(run.hops().regime(), 1L, Long::sum));
        Regime most = sizes.entrySet().stream()
                .reduce((a, b) -> b.getValue() > a.getValue() ? b : a)
                .map(Map.Entry::getKey)
                .orElse(Regime.UNKNOWN);
        return of(cell, most);
    }

    /** Those of one regime. */
    public static Counted of(Cell cell, Regime regime) {
        List<RunRecord> runs = cell.runs().stream()
                .filter(run -> run.counts() && run.hops().regime() == regime)
                .toList();
        return new Counted(regime, runs, cell.runs().size());
    }

    /** The median of one figure; NaN where no run has it. */
    public double median(ToDoubleFunction<RunRecord> figure) {
        double[] values = runs.stream()
                .mapToDouble(figure)
                .filter(value -> !Double.isNaN(value))
                .toArray();
        return median(values);
    }

    /** The median; NaN of nothing. */
    public static double median(double... values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

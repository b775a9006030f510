package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.bound.BoundBy;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The runs of a cell that stand for it: those that count and were taken in one regime, the one that most of them were
 * taken in. On cores that are placed differently the same relay is another one. Where no run counts, all valid ones stand
 * for it, and are not to be set against others.
 *
 * @param regime UNKNOWN when no run counts
 * @param total how many runs the cell has, with those that are left out
 * @param counts whether the runs count
 */
public record Counted(Regime regime, List<RunRecord> runs, int total, boolean counts) {
    public Counted {
        runs = List.copyOf(runs);
    }

    public static Counted of(Cell cell) {
        List<RunRecord> standing =
                standing(cell.runs(), RunRecord::counts, run -> run.hops().regime());
        boolean counts = !standing.isEmpty();
        return new Counted(
                counts ? standing.get(0).hops().regime() : Regime.UNKNOWN,
                counts
                        ? standing
                        : cell.runs().stream().filter(RunRecord::isValid).toList(),
                cell.runs().size(),
                counts);
    }

    /** Those that count and are of the regime that most of them are of; of two with equally many, the first of {@link Regime}. */
    public static <T> List<T> standing(List<T> runs, Predicate<T> counts, Function<T, Regime> regime) {
        Map<Regime, List<T>> regimes = runs.stream()
                .filter(counts)
                .collect(Collectors.groupingBy(regime, () -> new EnumMap<>(Regime.class), Collectors.toList()));
        return regimes.values().stream()
                .reduce((a, b) -> b.size() > a.size() ? b : a)
                .orElse(List.of());
    }

    /** Those that count, of one regime. */
    public static Counted of(Cell cell, Regime regime) {
        List<RunRecord> runs = cell.runs().stream()
                .filter(run -> run.counts() && run.hops().regime() == regime)
                .toList();
        return new Counted(regime, runs, cell.runs().size(), !runs.isEmpty());
    }

    public Spread over(ToDoubleFunction<RunRecord> figure) {
        return Spread.of(runs, figure);
    }

    /** The median of one figure; NaN where no run has it. */
    public double median(ToDoubleFunction<RunRecord> figure) {
        return over(figure).median();
    }

    /** What the runs were bound by: "link", or "link 2, ring 1" where they do not agree; empty where nobody looked. */
    public String boundBy() {
        Map<BoundBy.Kind, Long> kinds = runs.stream()
                .filter(run -> run.resources().boundBy() != null)
                .collect(Collectors.groupingBy(
                        run -> run.resources().boundBy().kind(),
                        () -> new EnumMap<>(BoundBy.Kind.class),
                        Collectors.counting()));
        return kinds.size() == 1
                ? kinds.keySet().iterator().next().toString()
                : kinds.entrySet().stream()
                        .map(kind -> kind.getKey() + " " + kind.getValue())
                        .collect(Collectors.joining(", "));
    }

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

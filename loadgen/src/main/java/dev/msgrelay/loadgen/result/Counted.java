package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.bound.BoundBy;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The runs of a cell that stand for it: those that count. Where none does, all valid ones stand for it, and are not to be set
 * against others.
 *
 * @param total how many runs the cell has, with those that are left out
 * @param counts whether the runs count
 */
public record Counted(List<RunRecord> runs, int total, boolean counts) {
    public Counted {
        runs = List.copyOf(runs);
    }

    public static Counted of(Cell cell) {
        List<RunRecord> counting =
                cell.runs().stream().filter(RunRecord::counts).toList();
        List<RunRecord> valid = cell.runs().stream().filter(RunRecord::isValid).toList();
        boolean counts = !counting.isEmpty();
        return new Counted(counts ? counting : valid, cell.runs().size(), counts);
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

package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.protocol.text.ShortText;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The runs from which a cell's figures are computed. These are the runs that count. If there are none, all valid runs
 * are used, and their figures must not be compared.
 */
public record Counted(List<RunRecord> runs, int total, boolean counts) {
    public record Spread(double median, double min, double max) {
        public static <T> Spread of(Collection<T> all, ToDoubleFunction<T> figure) {
            double[] values = all.stream()
                    .mapToDouble(figure)
                    .filter(value -> !Double.isNaN(value))
                    .sorted()
                    .toArray();
            return values.length == 0
                    ? new Spread(Double.NaN, Double.NaN, Double.NaN)
                    : new Spread(Counted.median(values), values[0], values[values.length - 1]);
        }

        /** Returns the spread of the ratios of each run's figure to that of another run in the same round. */
        public static Spread ofRounds(
                Collection<RunRecord> runs, Collection<RunRecord> others, ToDoubleFunction<RunRecord> figure) {
            return of(runs, run -> others.stream()
                    .filter(other -> other.moment().round() == run.moment().round())
                    .mapToDouble(other -> figure.applyAsDouble(run) / figure.applyAsDouble(other))
                    .filter(Double::isFinite)
                    .findFirst()
                    .orElse(Double.NaN));
        }

        public boolean isKnown() {
            return !Double.isNaN(median);
        }
    }

    public static Counted of(Cell cell) {
        List<RunRecord> counting =
                cell.runs().stream().filter(RunRecord::counts).toList();
        List<RunRecord> valid =
                cell.runs().stream().filter(run -> run.outcome().isValid()).toList();
        boolean counts = !counting.isEmpty();
        return new Counted(counts ? counting : valid, cell.runs().size(), counts);
    }

    public Spread over(ToDoubleFunction<RunRecord> figure) {
        return Spread.of(runs, figure);
    }

    public double median(ToDoubleFunction<RunRecord> figure) {
        return over(figure).median();
    }

    /** Returns the bottlenecks of the runs: "link", or "link 2, relay 1" if they differ; empty if unknown. */
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

    public static String tally(Collection<RunRecord> runs) {
        long counting = runs.stream().filter(RunRecord::counts).count();
        long valid =
                runs.stream().map(RunRecord::outcome).filter(Outcome::isValid).count();
        String count =
                counting + " of " + ShortText.counted(runs.size(), "run") + (runs.size() == 1 ? " counts" : " count");
        String others = (valid > counting ? ", " + (valid - counting) + " on a disturbed machine" : "")
                + (runs.size() > valid ? ", " + (runs.size() - valid) + " failed or partial" : "");
        return others.isEmpty() ? count : count + "; " + others.substring(2);
    }
}

package dev.msgrelay.loadgen.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * What a case gave.
 *
 * @param tries the one try of each candidate of the ceiling
 */
public record CaseResult(BenchCase benchCase, List<Sample> tries, List<Round> rounds) {
    /** The rounds that count: the steady ones, as long as they are at least half of all; otherwise all. */
    public List<Round> counted() {
        List<Round> steady = rounds.stream().filter(Round::isSteady).toList();
        return 2 * steady.size() >= rounds.size() ? steady : rounds;
    }

    /** The median over the rounds that count. */
    public double median(Metric metric) {
        return median(counted().stream().mapToDouble(metric.value()).toArray());
    }

    /** The median of a figure of one of ours. */
    public double medianOf(String name, ToDoubleFunction<Sample> figure) {
        return median(counted().stream()
                .mapToDouble(round -> figure.applyAsDouble(round.of(name)))
                .toArray());
    }

    /** The median, over the rounds, of the round's best ceiling; NaN for a case without one. */
    public double medianCeiling() {
        return median(counted().stream()
                .mapToDouble(round -> round.best(Cases.CEILING))
                .toArray());
    }

    /** Everything that makes a run of this case invalid. */
    public List<String> failures() {
        return rounds.stream()
                .flatMap(round -> round.samples().stream())
                .flatMap(sample -> sample.failures().stream()
                        .map(failure -> sample.contender().name() + ": " + failure))
                .collect(Collectors.toList());
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

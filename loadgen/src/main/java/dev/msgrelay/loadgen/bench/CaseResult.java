package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What a case gave.
 *
 * @param tries the one try of each candidate of the ceiling
 */
public record CaseResult(BenchCase benchCase, List<Run<RunResult>> tries, List<Round> rounds) {
    /** The rounds that count; where none does, all: the report says so. */
    public List<Round> counted() {
        List<Round> counted = rounds.stream().filter(Round::counts).toList();
        return counted.isEmpty() ? rounds : counted;
    }

    /** The median over the rounds that count. */
    public double median(Metric metric) {
        return medianOf(metric.value());
    }

    /** The median of a figure over the rounds that have it. */
    public double medianOf(ToDoubleFunction<Round> figure) {
        return Counted.median(counted().stream()
                .mapToDouble(figure)
                .filter(value -> !Double.isNaN(value))
                .toArray());
    }

    /** The median, over the rounds, of the round's best ceiling; NaN for a case without one. */
    public double medianCeiling() {
        return medianOf(round -> round.best(CeilingCells.CEILING));
    }

    /** Everything that makes a run of this case invalid. */
    public List<String> failures() {
        return Stream.concat(tries.stream(), rounds.stream().flatMap(round -> round.runs().stream()))
                .flatMap(
                        run -> run.failures().stream().map(failure -> run.cell().name() + ": " + failure))
                .toList();
    }
}

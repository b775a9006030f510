package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * One go through all contestants of a case, one right after the other, so that they met the same machine. A figure of one
 * that did not come to its end is NaN.
 *
 * @param runs ours and the ceilings, in the order in which they ran
 */
public record Round(List<Run<RunResult>> runs) {
    /** Runs by their round. */
    static List<Round> of(List<Run<RunResult>> all) {
        Map<Integer, List<Run<RunResult>>> rounds =
                all.stream().collect(Collectors.groupingBy(Run::round, TreeMap::new, Collectors.toList()));
        return new ArrayList<>(rounds.values().stream().map(Round::new).toList());
    }

    /** The run of the contestant with this name. */
    private Run<RunResult> of(String name) {
        return runs.stream()
                .filter(run -> run.cell().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A figure of the contestant with this name. */
    public double figure(String name, ToDoubleFunction<RunResult> figure) {
        Run<RunResult> run = of(name);
        return run.isWhole() ? figure.applyAsDouble(run.result()) : Double.NaN;
    }

    /** Deliveries a second. */
    public double rate(String name) {
        return figure(name, RunResult::deliveriesPerSecond);
    }

    /** Messages a second that were published. */
    double published(String name) {
        return figure(name, result -> result.throughput().in().messagesPerSecond());
    }

    /** A percentile of the latency, at full speed of the time in queue. */
    public double latencyNanos(String name, double percentile) {
        return figure(name, result -> result.delays()
                .at(result.load().rate() > 0 ? Delay.LATENCY : Delay.TIME_IN_QUEUE, percentile));
    }

    /** The longest time without a delivery to a subscriber. */
    double longestGapNanos(String name) {
        return figure(
                name,
                result -> result.resources().signals().still().deliveries().longestNanos());
    }

    /** CPU of the contestant, in cores: 1.0 is one core busy all the time. */
    double contestantCores(String name) {
        return figure(
                name,
                result -> result.resources().processes().get(0).cpuSeconds()
                        * 1e9
                        / result.timing().measured().toNanos());
    }

    /** The best of those whose names start with {@code prefix}; NaN where there is none. */
    double best(String prefix) {
        return runs.stream()
                .filter(run -> run.cell().name().startsWith(prefix))
                .mapToDouble(LoadCell::rate)
                .filter(rate -> !Double.isNaN(rate))
                .max()
                .orElse(Double.NaN);
    }

    /** Whether all of its runs do: figures of it may be set against each other. */
    boolean counts() {
        return runs.stream().allMatch(Run::counts);
    }

    /** Whether the machine disturbed one of its runs. */
    public boolean isDisturbed() {
        return runs.stream().anyMatch(Run::isDisturbed);
    }
}

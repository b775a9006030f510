package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.Resources.BoundBy;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * A cell's figures over its runs.
 *
 * @param runs those that stand for it
 * @param regime that they were taken in; UNKNOWN also where none counts, so that all valid ones stand for the cell
 * @param comparable whether that is the regime of the shootout: else they are not to be set against others
 */
public record CellFigures(Cell cell, List<RunRecord> runs, Regime regime, boolean comparable) {
    private static final double SECOND_NANOS = 1e9;
    private static final String RELAY = "relay";

    /** Of the runs of one regime, the one that most of the cell's runs were taken in. */
    public static CellFigures of(Cell cell, RegimeChoice choice) {
        Counted counted = Counted.of(cell);
        return counted.runs().isEmpty()
                ? new CellFigures(
                        cell, cell.runs().stream().filter(RegimeChoice::isValid).toList(), Regime.UNKNOWN, false)
                : new CellFigures(cell, counted.runs(), counted.regime(), counted.regime() == choice.regime());
    }

    public Spread over(ToDoubleFunction<RunRecord> figure) {
        return Spread.of(runs, figure);
    }

    public Spread inMessages() {
        return over(run -> flow(run.throughput().in(), Flow::messagesPerSecond));
    }

    public Spread inBytes() {
        return over(run -> flow(run.throughput().in(), Flow::bytesPerSecond));
    }

    public Spread outMessages() {
        return over(run -> run.throughput().out().messagesPerSecond());
    }

    public Spread outBytes() {
        return over(run -> run.throughput().out().bytesPerSecond());
    }

    public Spread inFraction() {
        return over(run -> run.throughput().ingressFraction());
    }

    public Spread outFraction() {
        return over(run -> run.throughput().egressFraction());
    }

    public Spread latencyNanos(double percentile) {
        return over(run -> percentile(run.delays(), Delays::latency, percentile));
    }

    public Spread skewNanos(double percentile) {
        return over(run -> percentile(run.delays(), Delays::skew, percentile));
    }

    /** The relay's, in cores. */
    public Spread relayCores() {
        return over(run -> run.resources().processes().stream()
                .filter(process -> process.name().equals(RELAY))
                .mapToDouble(process -> cores(process, run))
                .findFirst()
                .orElse(Double.NaN));
    }

    /** Of all processes together, in cores. */
    public Spread allCores() {
        return over(run ->
                run.resources().cpuSeconds() * SECOND_NANOS / run.moment().measuredNanos());
    }

    private static double cores(ProcessRecord process, RunRecord run) {
        return process.cpuSeconds() < 0
                ? Double.NaN
                : process.cpuSeconds() * SECOND_NANOS / run.moment().measuredNanos();
    }

    /** What most of the runs were bound by: "link", "link (2 of 3)"; empty where nobody looked. */
    public String boundBy() {
        Map<String, Long> kinds = runs.stream()
                .map(run -> run.resources().boundBy())
                .filter(bound -> bound != null)
                .collect(Collectors.groupingBy(BoundBy::kind, Collectors.counting()));
        return kinds.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(entry -> entry.getValue() == runs.size()
                        ? entry.getKey()
                        : entry.getKey() + " (" + entry.getValue() + " of " + runs.size() + ")")
                .orElse("");
    }

    private static double flow(Flow flow, ToDoubleFunction<Flow> figure) {
        return flow == null ? Double.NaN : figure.applyAsDouble(flow);
    }

    private static double percentile(Delays delays, Function<Delays, Histogram> which, double percentile) {
        Histogram histogram = which.apply(delays);
        return histogram == null || histogram.getTotalCount() == 0
                ? Double.NaN
                : histogram.getValueAtPercentile(percentile);
    }
}

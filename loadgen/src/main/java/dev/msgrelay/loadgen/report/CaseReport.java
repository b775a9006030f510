package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.bench.BenchCase;
import dev.msgrelay.loadgen.bench.CaseResult;
import dev.msgrelay.loadgen.bench.Metric;
import dev.msgrelay.loadgen.bench.Round;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.render.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * A case's result, ready to be shown.
 *
 * @param note rates and rounds
 * @param failures runs that were invalid
 */
public record CaseReport(String id, String title, List<Line> lines, String note, List<String> failures) {
    /** One metric with its median. */
    public record Line(String name, double value, String sign, double limit, boolean met) {}

    public static CaseReport of(CaseResult result) {
        BenchCase benchCase = result.benchCase();
        List<Line> lines = new ArrayList<>();
        for (Metric metric : benchCase.metrics()) {
            double value = result.median(metric);
            lines.add(new Line(metric.name(), value, metric.bound().sign(), metric.limit(), metric.isMet(value)));
        }
        return new CaseReport(benchCase.id(), benchCase.title(), lines, note(result), result.failures());
    }

    /** Whether every metric is met and every run was valid. */
    public boolean passed() {
        return failures.isEmpty() && lines.stream().allMatch(Line::met);
    }

    private static String note(CaseResult result) {
        String figures = result.benchCase().ours().stream()
                .map(ours -> ours.name() + " " + figure(result, ours))
                .collect(Collectors.joining(", "));
        if (!result.benchCase().ceilings().isEmpty()) {
            figures += ", ceiling " + Unit.COUNT.plain(result.medianCeiling()) + " msg/s";
        }
        int all = result.rounds().size();
        return Unit.format(
                "%s; %d round%s, %d on a changing machine, %d beside other work, %d left out; core-to-core hop %.0f..%.0f ns",
                figures,
                all,
                all == 1 ? "" : "s",
                result.rounds().stream()
                        .filter(round -> !round.isSteady() && !round.isDisturbed())
                        .count(),
                result.rounds().stream().filter(Round::isDisturbed).count(),
                all - result.counted().size(),
                hops(result).min().orElse(Double.NaN),
                hops(result).max().orElse(Double.NaN));
    }

    /** A speed where it goes as fast as it can, a latency where the rate is given. */
    private static String figure(CaseResult result, LoadCell ours) {
        if (ours.load().rate() == 0) {
            return Unit.COUNT.plain(result.medianOf(round -> round.rate(ours.name()))) + " msg/s";
        }
        return "p50 " + Unit.NANOS.plain(result.medianOf(round -> round.latencyNanos(ours.name(), 50))) + " p99 "
                + Unit.NANOS.plain(result.medianOf(round -> round.latencyNanos(ours.name(), 99)));
    }

    private static DoubleStream hops(CaseResult result) {
        return result.rounds().stream().flatMapToDouble(Round::hops);
    }
}

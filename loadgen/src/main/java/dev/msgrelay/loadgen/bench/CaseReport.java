package dev.msgrelay.loadgen.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A case's result, ready to be shown.
 *
 * @param note rates and rounds
 * @param failures runs that were invalid
 */
public record CaseReport(String id, String title, List<Line> lines, String note, List<String> failures) {
    private static final double MEGA = 1e6;

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
        String rates = result.benchCase().ours().stream()
                .map(ours -> ours.name() + " " + millions(result.medianRate(ours.name())))
                .collect(Collectors.joining(", "));
        if (!result.benchCase().ceilings().isEmpty()) {
            rates += ", ceiling " + millions(result.medianCeiling());
        }
        int all = result.rounds().size();
        int left = all - result.counted().size();
        double low = result.rounds().stream().flatMapToDouble(Round::hops).min().orElseThrow();
        double high =
                result.rounds().stream().flatMapToDouble(Round::hops).max().orElseThrow();
        long changed =
                result.rounds().stream().filter(round -> !round.isSteady()).count();
        return String.format(
                Locale.ROOT,
                "%s msg/s; %d round%s, the machine changed in %d, %d left out; core-to-core hop %.0f..%.0f ns",
                rates,
                all,
                all == 1 ? "" : "s",
                changed,
                left,
                low,
                high);
    }

    private static String millions(double rate) {
        return String.format(Locale.ROOT, "%.2f M", rate / MEGA);
    }
}

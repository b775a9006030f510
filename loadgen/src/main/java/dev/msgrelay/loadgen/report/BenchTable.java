package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.List;

/** The benchmark's lines for people, and its raw figures for programs. */
public final class BenchTable {
    private BenchTable() {}

    /** One line a metric; the first one carries the case's title and rates. */
    public static String lines(CaseReport report) {
        StringBuilder text = new StringBuilder();
        String title = report.title();
        for (CaseReport.Line line : report.lines()) {
            text.append(Unit.format(
                    "%-52s %8s %-28s %s %-7s %s%n",
                    title,
                    value(line.value()),
                    line.name(),
                    line.sign(),
                    value(line.limit()),
                    line.met() ? "pass" : "SHORT"));
            title = "";
        }
        text.append(Unit.format("    %s%n", report.note()));
        for (String failure : report.failures()) {
            text.append("    FAIL ").append(failure).append('\n');
        }
        return text.toString();
    }

    /** The sizes that were tried for one ceiling, the best one marked. */
    public static String ceiling(String title, List<Run<RunResult>> runs) {
        double best = best(runs);
        StringBuilder text = new StringBuilder(title).append('\n');
        for (Run<RunResult> run : runs) {
            if (!run.isWhole()) {
                continue;
            }
            text.append(Unit.format(
                    "  %-24s %10s msg/s %9.1f MB/s   hop %.0f / %.0f ns%s%n",
                    run.result().middle(),
                    Unit.COUNT.plain(LoadCell.rate(run)),
                    run.result().received().traffic().megabytesPerSecond(),
                    run.hops().beforeNanos(),
                    run.hops().afterNanos(),
                    LoadCell.rate(run) == best ? "   <- best" : ""));
        }
        return text.toString();
    }

    /** The best of them, in deliveries a second. */
    public static double best(List<Run<RunResult>> runs) {
        return runs.stream()
                .filter(Run::isWhole)
                .mapToDouble(LoadCell::rate)
                .max()
                .orElse(Double.NaN);
    }

    private static String value(double value) {
        return value == Math.rint(value) ? Unit.format("%.0f", value) : Unit.format("%.3f", value);
    }
}

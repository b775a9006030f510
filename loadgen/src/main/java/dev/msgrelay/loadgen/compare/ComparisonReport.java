package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ratio;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@link Comparer} found, for people: a table for each cell, and what was left out. */
public final class ComparisonReport {
    private ComparisonReport() {}

    public static String table(Results comparison) {
        StringBuilder text = new StringBuilder();
        Map<String, List<Ratio>> cells = comparison.ratios().stream()
                .collect(Collectors.groupingBy(Ratio::title, LinkedHashMap::new, Collectors.toList()));
        cells.forEach((title, ratios) -> text.append(title)
                .append('\n')
                .append(TextTable.of(Table.of("", ratios, fields(title.contains("unpaired")))))
                .append('\n'));
        text.append(
                cells.isEmpty()
                        ? "nothing can be compared\n"
                        : Unit.format(
                                "b / a: Hodges-Lehmann estimate and %.0f %% interval. noise: 1 is within the interval, no"
                                        + " difference was seen.%n"
                                        + "An interval needs %d runs on each side, or %d rounds where they are paired.%n",
                                HodgesLehmann.CONFIDENCE * 100, HodgesLehmann.MIN_UNPAIRED, HodgesLehmann.MIN_PAIRS));
        if (!comparison.notes().isEmpty()) {
            text.append("\nleft out:\n");
            comparison.notes().forEach(one -> text.append("  ").append(one).append('\n'));
        }
        return text.toString();
    }

    private static List<Field<Ratio>> fields(boolean unpaired) {
        return List.of(
                Field.text("", one -> Metric.of(one).title()),
                Field.of("a", Unit.PLAIN, one -> Metric.of(one).unit().plain(one.medianA())),
                Field.of("b", Unit.PLAIN, one -> Metric.of(one).unit().plain(one.medianB())),
                Field.of("b / a", Unit.RATIO, Ratio::ratio),
                Field.text("interval", Ratio::interval),
                Field.text("runs", one -> unpaired ? one.runsA() + " / " + one.runsB() : one.runsA()),
                Field.text(
                        "",
                        one -> one.verdict().equals(Metric.TOO_FEW_RUNS) ? "noise: " + one.verdict() : one.verdict()));
    }
}

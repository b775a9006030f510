package dev.msgrelay.loadgen.compare;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.compare.Change.Meaning;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Column;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Site;
import java.util.ArrayList;
import java.util.List;

/** A comparison for people and for programs. */
public final class ComparisonReport {
    private static final List<Column> COLUMNS = List.of(
            Column.text(""),
            new Column("a", Unit.PLAIN),
            new Column("b", Unit.PLAIN),
            new Column("b / a", Unit.RATIO),
            Column.text("interval"),
            Column.text("runs"),
            Column.text(""));

    private final Comparison comparison;

    public ComparisonReport(Comparison comparison) {
        this.comparison = comparison;
    }

    /** A table for each cell, and what was left out. */
    public String table() {
        StringBuilder text = new StringBuilder();
        for (CellComparison cell : comparison.cells()) {
            cell(text, cell);
        }
        if (comparison.cells().isEmpty()) {
            text.append("nothing can be compared\n");
        } else {
            line(
                    text,
                    "b / a: Hodges-Lehmann estimate and %.0f %% interval. noise: 1 is within the interval, no difference was seen.",
                    HodgesLehmann.CONFIDENCE * 100);
            line(
                    text,
                    "An interval needs %d runs on each side, or %d rounds where they are paired.",
                    HodgesLehmann.MIN_UNPAIRED,
                    HodgesLehmann.MIN_PAIRS);
        }
        if (!comparison.leftOut().isEmpty()) {
            line(text, "");
            line(text, "left out:");
            comparison.leftOut().forEach(one -> line(text, "  %s", one));
        }
        return text.toString();
    }

    private static void cell(StringBuilder text, CellComparison cell) {
        line(text, "%s", title(cell));
        text.append(TextTable.of(new Table(
                "",
                COLUMNS,
                cell.changes().stream().map(change -> row(cell, change)).toList())));
        line(text, "");
    }

    private static List<Table.Value> row(CellComparison cell, Change change) {
        Estimate ratio = change.ratio();
        return Table.row(
                change.metric().title(),
                change.metric().unit().plain(change.medianA()),
                change.metric().unit().plain(change.medianB()),
                ratio == null ? Double.NaN : ratio.value(),
                ratio == null ? "" : format("%.3f..%.3f", ratio.low(), ratio.high()),
                cell.paired() ? "" + change.runsA() : change.runsA() + " / " + change.runsB(),
                change.meaning() == Meaning.TOO_FEW_RUNS ? "noise: too few runs" : change.meaning());
    }

    /** The same for programs. */
    public Results results(Origin origin) {
        List<Ratio> ratios = new ArrayList<>();
        for (CellComparison cell : comparison.cells()) {
            cell.changes().forEach(change -> ratios.add(ratio(cell, change)));
        }
        return Results.of(origin, List.of(Site.here()))
                .withRatios(ratios)
                .withNotes(comparison.leftOut())
                .with(Ending.complete());
    }

    private static Ratio ratio(CellComparison cell, Change change) {
        Estimate known = change.ratio() == null ? new Estimate(Double.NaN, Double.NaN, Double.NaN) : change.ratio();
        return new Ratio(
                title(cell),
                change.metric().id(),
                cell.laneA(),
                cell.laneB(),
                change.medianA(),
                change.medianB(),
                change.runsA(),
                change.runsB(),
                known.value(),
                known.low(),
                known.high(),
                Double.NaN,
                Double.NaN,
                false,
                change.meaning().toString());
    }

    /** "loopback, 1 -> 1, body 100, full speed (near, unpaired)". */
    private static String title(CellComparison cell) {
        return format(
                "%s, %s (%s, %s)",
                cell.lanes(), cell.parameters(), cell.regime(), cell.paired() ? "paired by round" : "unpaired");
    }

    private static void line(StringBuilder text, String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}

package dev.msgrelay.loadgen.compare;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.compare.Change.Meaning;
import dev.msgrelay.loadgen.page.Unit;
import dev.msgrelay.loadgen.result.Parameters;
import java.util.Locale;

/** A comparison for people and for programs. */
public final class ComparisonReport {
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
        line(
                text,
                "%s, %s (%s, %s)",
                cell.lanes(),
                cell.parameters(),
                cell.regime(),
                cell.paired() ? "paired by round" : "unpaired");
        line(text, "  %-16s %10s %10s %8s  %-15s %-7s %s", "", "a", "b", "b / a", "interval", "runs", "");
        for (Change change : cell.changes()) {
            Estimate ratio = change.ratio();
            line(
                    text,
                    "  %-16s %10s %10s %8s  %-15s %-7s %s",
                    change.metric().title(),
                    plain(change.metric().unit(), change.medianA()),
                    plain(change.metric().unit(), change.medianB()),
                    ratio == null ? "" : format("%.3f", ratio.value()),
                    ratio == null ? "" : format("%.3f..%.3f", ratio.low(), ratio.high()),
                    cell.paired() ? "" + change.runsA() : change.runsA() + " / " + change.runsB(),
                    change.meaning() == Meaning.TOO_FEW_RUNS ? "noise: too few runs" : change.meaning());
        }
        line(text, "");
    }

    /** As terminals of whatever character set show it. */
    private static String plain(Unit unit, double value) {
        return unit.text(value).replace('\u00b5', 'u').replace('\u2013', '-');
    }

    /** The same as a document. */
    public String json() {
        JsonObject json = new JsonObject();
        json.put("method", "Hodges-Lehmann");
        json.put("confidence", HodgesLehmann.CONFIDENCE);
        JsonArray cells = new JsonArray();
        comparison.cells().forEach(cell -> cells.add(json(cell)));
        json.put("cells", cells);
        json.put("leftOut", new JsonArray(comparison.leftOut()));
        return JsonWriter.indent("  ").string().value(json).done();
    }

    private static JsonObject json(CellComparison cell) {
        Parameters parameters = cell.parameters();
        JsonObject json = new JsonObject();
        json.put("laneA", cell.laneA());
        json.put("laneB", cell.laneB());
        json.put("body", parameters.body().text());
        json.put("publishers", parameters.publishers());
        json.put("subscribers", parameters.subscribers());
        json.put("batch", parameters.batch());
        json.put("rate", parameters.rate());
        json.put("mtu", parameters.mtu());
        json.put("burst", parameters.burst());
        json.put("regime", cell.regime().toString());
        json.put("paired", cell.paired());
        JsonArray changes = new JsonArray();
        for (Change change : cell.changes()) {
            JsonObject one = new JsonObject();
            one.put("metric", change.metric().id());
            one.put("medianA", change.medianA());
            one.put("medianB", change.medianB());
            one.put("runsA", change.runsA());
            one.put("runsB", change.runsB());
            one.put("ratio", change.ratio() == null ? null : change.ratio().value());
            one.put("low", change.ratio() == null ? null : change.ratio().low());
            one.put("high", change.ratio() == null ? null : change.ratio().high());
            one.put("meaning", change.meaning().toString());
            changes.add(one);
        }
        json.put("changes", changes);
        return json;
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    private static void line(StringBuilder text, String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}

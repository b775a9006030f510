package dev.msgrelay.loadgen.compare;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.result.Regime;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A comparison in turn, for people and for programs. */
public final class PairedReport {
    private static final double MEGA = 1e6;
    private static final double HUNDRED = 100;

    private final Map<Side, Contestant> contestants;
    private final PairedComparison comparison;

    public PairedReport(Map<Side, Contestant> contestants, PairedComparison comparison) {
        this.contestants = contestants;
        this.comparison = comparison;
    }

    /** One line after each pair. */
    public static String progress(PairedComparison comparison) {
        PairedRow row = comparison.headline();
        int last = comparison.turns().size() / 2;
        String known = row.ratio() == null
                ? "needs " + HodgesLehmann.MIN_PAIRS + " rounds"
                : interval(row) + format(", %.1f %% wide", row.widthPercent());
        Turn one = comparison.turns().get(comparison.turns().size() - 2);
        Turn other = comparison.turns().get(comparison.turns().size() - 1);
        Turn a = one.side() == Side.A ? one : other;
        Turn b = a == one ? other : one;
        return format(
                "pair %3d: A %s, B %s %s (%s)  B/A so far %s",
                last,
                value(a.figures().get(row.figure())),
                value(b.figures().get(row.figure())),
                row.figure().title(),
                one.regime() == other.regime() ? one.regime() : one.regime() + ", then " + other.regime(),
                known);
    }

    /** A line for each figure, the verdict, and how it came about. */
    public String table() {
        StringBuilder text = new StringBuilder();
        contestants.forEach((side, contestant) -> line(text, "%s: %s", side, contestant.title()));
        if (contestants.get(Side.A).title().equals(contestants.get(Side.B).title())) {
            line(text, "A and B are the same: this is how much the machine alone makes of nothing");
        }
        line(text, "");
        line(
                text,
                "  %-20s %9s %9s %7s  %-15s %6s  %-9s %s",
                "",
                "A",
                "B",
                "B/A",
                "interval",
                "rounds",
                "sees from",
                "");
        for (PairedRow row : comparison.rows()) {
            line(
                    text,
                    "  %-20s %9s %9s %7s  %-15s %6d  %-9s %s",
                    row.figure().title(),
                    value(row.medianA()),
                    value(row.medianB()),
                    row.ratio() == null ? "" : format("%.3f", row.ratio().value()),
                    row.ratio() == null
                            ? ""
                            : format(
                                    "%.3f..%.3f", row.ratio().low(), row.ratio().high()),
                    row.rounds(),
                    row.ratio() == null ? "" : format("%.1f %%", row.smallestSeenPercent()),
                    row.verdict());
        }
        line(text, "");
        line(text, "%s", ends());
        if (comparison.failures().isEmpty()) {
            line(text, "verdict: %s", verdict());
        } else {
            line(text, "FAIL");
            comparison.failures().forEach(failure -> line(text, "  %s", failure));
        }
        return text.toString();
    }

    private String verdict() {
        PairedRow row = comparison.headline();
        return row.ratio() == null
                ? format("none: an interval needs %d rounds", HodgesLehmann.MIN_PAIRS)
                : row.verdict() + ", B/A " + interval(row);
    }

    private String ends() {
        Pairs pairs = comparison.pairs();
        String regimes = pairs.byRegime().entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
        StringBuilder text = new StringBuilder(format(
                "%d runs, %d pairs (%s), %d of them of different blocks, %d runs left over; ended: %s",
                comparison.turns().size(),
                pairs.pairs().size(),
                regimes.isEmpty() ? "none" : regimes,
                pairs.moved(),
                pairs.alone().size(),
                comparison.ended().text()));
        for (Side side : Side.values()) {
            if (comparison.late(side) > 0) {
                text.append(format(
                        "%n%s: in %d runs the publishers did not keep their schedule", side, comparison.late(side)));
            }
        }
        return text.toString();
    }

    /** The same as a document. */
    public String json() {
        JsonObject json = new JsonObject();
        contestants.forEach((side, contestant) -> json.put(side.name().toLowerCase(Locale.ROOT), contestant.title()));
        json.put("method", "Hodges-Lehmann, paired");
        json.put("confidence", HodgesLehmann.CONFIDENCE);
        json.put("verdictConfidence", PairedRow.BEYOND_DOUBT);
        json.put("runs", comparison.turns().size());
        json.put("pairs", comparison.pairs().pairs().size());
        json.put("pairsOfDifferentBlocks", comparison.pairs().moved());
        json.put("runsLeftOver", comparison.pairs().alone().size());
        JsonObject regimes = new JsonObject();
        for (Map.Entry<Regime, Integer> entry : comparison.pairs().byRegime().entrySet()) {
            regimes.put(entry.getKey().toString(), entry.getValue());
        }
        json.put("pairsByRegime", regimes);
        json.put("lateA", comparison.late(Side.A));
        json.put("lateB", comparison.late(Side.B));
        JsonArray rows = new JsonArray();
        comparison.rows().forEach(row -> rows.add(json(row)));
        json.put("rows", rows);
        JsonArray turns = new JsonArray();
        comparison.turns().forEach(turn -> turns.add(json(turn)));
        json.put("turns", turns);
        json.put("ended", comparison.ended().name().toLowerCase(Locale.ROOT).replace('_', ' '));
        json.put("failures", new JsonArray(comparison.failures()));
        json.put("verdict", comparison.failures().isEmpty() ? verdict() : "FAIL");
        return JsonWriter.indent("  ").string().value(json).done();
    }

    private static JsonObject json(PairedRow row) {
        JsonObject json = new JsonObject();
        json.put("figure", row.figure().id());
        json.put("medianA", finite(row.medianA()));
        json.put("medianB", finite(row.medianB()));
        json.put("rounds", row.rounds());
        json.put("ratio", row.ratio() == null ? null : row.ratio().value());
        json.put("low", row.ratio() == null ? null : row.ratio().low());
        json.put("high", row.ratio() == null ? null : row.ratio().high());
        json.put("smallestSeenPercent", finite(row.smallestSeenPercent()));
        json.put("better", row.better() == null ? null : row.better().name());
        json.put("verdict", row.verdict());
        return json;
    }

    private static JsonObject json(Turn turn) {
        JsonObject json = new JsonObject();
        json.put("side", turn.side().name());
        json.put("number", turn.number());
        json.put("round", turn.round());
        json.put("regime", turn.regime().toString());
        turn.figures().forEach((figure, value) -> json.put(figure.id(), finite(value)));
        json.put("late", turn.late());
        return json;
    }

    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private static String interval(PairedRow row) {
        return format(
                "%.3f (%.3f .. %.3f)",
                row.ratio().value(), row.ratio().low(), row.ratio().high());
    }

    private static String value(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        if (value >= MEGA) {
            return format("%.2f M", value / MEGA);
        }
        return value >= HUNDRED ? format("%,.0f", value) : format(value >= 1 ? "%.2f" : "%.4f", value);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    private static void line(StringBuilder text, String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}

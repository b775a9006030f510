package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.render.Wrapped;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Formats the result of {@code loadgen compare} as text and as JSON. */
public record PairedReport(Map<Side, String> titles, PairedComparison comparison) {

    private static final List<Field<PairedRow>> FIELDS = List.of(
            Field.text("", row -> row.figure().title()),
            Field.of("A", Unit.PLAIN, row -> row.figure().text(row.medianA())),
            Field.of("B", Unit.PLAIN, row -> row.figure().text(row.medianB())),
            Field.of("B/A", Unit.RATIO, row -> row.ratio().value()),
            Field.text("interval", row -> row.ratio().isKnown() ? row.ratio().interval() : ""),
            Field.of("rounds", Unit.WHOLE, PairedRow::rounds),
            Field.of(
                    "sees from",
                    Unit.FRACTION,
                    row -> row.ratio().isKnown() ? row.smallestSeenPercent() / 100 : Double.NaN),
            Field.text("", PairedRow::verdict));

    public static String progress(PairedComparison comparison) {
        PairedRow row = comparison.headline();
        int last = comparison.runs().size() / 2;
        String known = !row.ratio().isKnown()
                ? "needs " + HodgesLehmann.MIN_PAIRS + " rounds"
                : interval(row) + format(", %.1f %% wide", row.widthPercent());
        Turn one = comparison.runs().get(comparison.runs().size() - 2);
        Turn other = comparison.runs().get(comparison.runs().size() - 1);
        boolean inOrder = one.side() == Side.A;
        return format(
                "pair %3d: A %s, B %s %s  B/A so far %s",
                last,
                row.figure().text((inOrder ? one : other).value(row.figure().id())),
                row.figure().text((inOrder ? other : one).value(row.figure().id())),
                row.figure().title(),
                known);
    }

    public String table() {
        StringBuilder text = new StringBuilder();
        titles.forEach((side, title) -> line(text, "%s: %s", side, title));
        if (titles.get(Side.A).equals(titles.get(Side.B))) {
            line(text, "A and B are the same: this is how much the machine alone makes of nothing");
        }
        line(text, "");
        text.append(TextTable.of(Table.of("", comparison.rows(), FIELDS)));
        line(text, "  %s", spread());
        comparison.observed().forEach(one -> line(text, "  %s", one));
        comparison.unlike().ifPresent(unlike -> text.append(Wrapped.at("  ", "  " + unlike)));
        line(text, "");
        ends().lines().forEach(one -> text.append(Wrapped.at("  ", one)));
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
        return !row.ratio().isKnown()
                ? format("none: an interval needs %d rounds", HodgesLehmann.MIN_PAIRS)
                : row.verdict() + ", B/A " + interval(row);
    }

    private String spread() {
        Figure figure = comparison.headline().figure();
        return format(
                "spread of %s, least .. most of the median: A %s, B %s",
                figure.title(), spread(figure, Side.A), spread(figure, Side.B));
    }

    private String spread(Figure figure, Side side) {
        Spread spread = Spread.of(
                comparison.runs().stream()
                        .filter(run -> run.side() == side && run.counts())
                        .toList(),
                run -> run.value(figure.id()));
        return spread.isKnown()
                ? format("%.2f .. %.2f", spread.min() / spread.median(), spread.max() / spread.median())
                : "unknown";
    }

    private String ends() {
        Pairs pairs = comparison.pairs();
        StringBuilder text = new StringBuilder(format(
                "%d %s, %d %s, %d %s left over; ended: %s",
                comparison.runs().size(),
                ShortText.plural(comparison.runs().size(), "run"),
                pairs.pairs().size(),
                ShortText.plural(pairs.pairs().size(), "pair"),
                pairs.alone().size(),
                ShortText.plural(pairs.alone().size(), "run"),
                comparison.ended().ending().reason()));
        for (Side side : Side.values()) {
            List<Turn> disturbed = comparison.disturbed(side);
            if (!disturbed.isEmpty()) {
                text.append(format(
                        "%n%s: %d %s left out because of the machine, the first: %s",
                        side,
                        disturbed.size(),
                        ShortText.plural(disturbed.size(), "run"),
                        disturbed.get(0).leftOut().get(0)));
            }
        }
        text.append(pairs.count() ? "" : format("%nwithout disturbed runs there is no pair, so they stand in it"));
        return text.toString();
    }

    public Results results(Results nothingYet) {
        List<String> notes = new ArrayList<>();
        titles.forEach((side, title) -> notes.add(side + ": " + title));
        notes.addAll(comparison.observed());
        comparison.unlike().ifPresent(notes::add);
        notes.addAll(ends().lines().toList());
        notes.add(comparison.failures().isEmpty() ? "verdict: " + verdict() : "FAIL");
        notes.addAll(comparison.failures());
        return nothingYet
                .withTurns(
                        comparison.runs(),
                        comparison.rows().stream().map(this::ratio).toList())
                .withNotes(notes)
                .with(comparison.ended().ending());
    }

    private Ratio ratio(PairedRow row) {
        Estimate known = row.ratio();
        return new Ratio(
                row.figure().id(),
                titles.get(Side.A),
                titles.get(Side.B),
                row.medianA(),
                row.medianB(),
                row.rounds(),
                row.rounds(),
                known.value(),
                known.low(),
                known.high(),
                row.smallestSeenPercent(),
                row.verdict());
    }

    private static String interval(PairedRow row) {
        return format(
                "%.3f (%.3f .. %.3f)",
                row.ratio().value(), row.ratio().low(), row.ratio().high());
    }

    private static void line(StringBuilder text, String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}

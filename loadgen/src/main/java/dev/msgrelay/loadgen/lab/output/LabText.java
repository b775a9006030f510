package dev.msgrelay.loadgen.lab.output;

import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.ExperimentResult;
import dev.msgrelay.loadgen.lab.Figure;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Numbers;
import dev.msgrelay.loadgen.lab.RoundResult;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An experiment's tables and findings as plain text. */
public final class LabText {
    private static final String FAILED = "FAILED";

    private LabText() {}

    /** Everything of one experiment. */
    public static String of(ExperimentResult experiment) {
        StringBuilder text = new StringBuilder();
        text.append(experiment.name())
                .append(": ")
                .append(experiment.question())
                .append('\n');
        text.append("  article: ").append(experiment.article().citation());
        text.append("; ").append(experiment.article().conditions()).append('\n');
        experiment
                .remarks()
                .forEach(remark -> text.append("  note: ").append(remark).append('\n'));
        experiment.tables().forEach(table -> append(text, table));
        return text.toString();
    }

    private static void append(StringBuilder text, TableResult result) {
        text.append('\n').append("  ").append(result.table().title()).append('\n');
        appendCells(text, cells(result));
        for (RowResult row : result.rows()) {
            if (row.failed()) {
                text.append("  FAILED ")
                        .append(row.label())
                        .append(": ")
                        .append(row.failure())
                        .append('\n');
            }
        }
        text.append("  ").append(rounds(result)).append('\n');
        for (Finding finding : result.table().judge().judge(result)) {
            text.append("  - ").append(finding).append('\n');
        }
    }

    /** Rows of cells, headings first; the median with its spread, then what the article got. */
    private static List<List<String>> cells(TableResult result) {
        Claims claims = result.table().claims();
        List<List<String>> lines = new ArrayList<>();
        List<String> headings = new ArrayList<>(List.of(""));
        for (Column column : result.table().columns()) {
            headings.add(column.heading());
            if (claims.has(column)) {
                headings.add("article");
            }
        }
        lines.add(headings);
        for (RowResult row : result.rows()) {
            List<String> line = new ArrayList<>(List.of(row.label()));
            for (Column column : result.table().columns()) {
                line.add(row.failed() ? FAILED : cell(result.figure(row, column)));
                if (claims.has(column)) {
                    line.add(claims.of(row.label(), column)
                            .map(claim -> Numbers.range(claim.low(), claim.high()))
                            .orElse(""));
                }
            }
            lines.add(line);
        }
        return lines;
    }

    private static String cell(Figure figure) {
        String median = Numbers.text(figure.median());
        return figure.rounds() < 2
                ? median
                : median + " [" + Numbers.text(figure.min()) + " " + Numbers.text(figure.max()) + "]";
    }

    private static void appendCells(StringBuilder text, List<List<String>> lines) {
        int[] widths = new int[lines.get(0).size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        for (List<String> line : lines) {
            text.append("    ").append(pad(line.get(0), -widths[0]));
            for (int i = 1; i < widths.length; i++) {
                text.append("  ").append(pad(line.get(i), widths[i]));
            }
            text.append('\n');
        }
    }

    private static String pad(String cell, int width) {
        return String.format(Locale.ROOT, "%" + (width == 0 ? 1 : width) + "s", cell);
    }

    /** "5 rounds, 4 counted (core-to-core hop 45 to 47 ns); round 3: the machine changed". */
    private static String rounds(TableResult result) {
        List<RoundResult> rounds = result.rounds();
        StringBuilder text = new StringBuilder();
        text.append(rounds.size()).append(" of ").append(result.wanted()).append(" rounds, ");
        text.append(result.counted().size()).append(" counted: median [least most]; core-to-core hop");
        for (RoundResult round : rounds) {
            text.append(String.format(Locale.ROOT, " %.0f", round.hopBefore()));
        }
        if (!rounds.isEmpty() && rounds.get(rounds.size() - 1).isComplete()) {
            text.append(String.format(
                    Locale.ROOT, " %.0f", rounds.get(rounds.size() - 1).hopAfter()));
        }
        text.append(" ns");
        for (int i = 0; i < rounds.size(); i++) {
            if (!rounds.get(i).isComplete()) {
                text.append("; round ").append(i + 1).append(" was broken off");
            } else if (!rounds.get(i).isSteady()) {
                text.append("; round ").append(i + 1).append(": the machine changed");
            }
        }
        return text.toString();
    }
}

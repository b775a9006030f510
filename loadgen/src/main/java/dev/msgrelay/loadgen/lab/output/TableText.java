package dev.msgrelay.loadgen.lab.output;

import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Figure;
import dev.msgrelay.loadgen.lab.Numbers;
import dev.msgrelay.loadgen.lab.RoundResult;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table's cells in words: the median with its spread, and beside it what the article got.
 *
 * @param headings the first one, of the rows' names, is empty
 * @param rows cells, in the order of the headings
 */
record TableText(List<String> headings, List<List<String>> rows) {
    static final String FAILED = "FAILED";

    static TableText of(TableResult result) {
        Claims claims = result.table().claims();
        List<String> headings = new ArrayList<>(List.of(""));
        for (Column column : result.table().columns()) {
            headings.add(column.heading());
            if (claims.has(column)) {
                headings.add("article");
            }
        }
        List<List<String>> rows = new ArrayList<>();
        for (RowResult row : result.rows()) {
            rows.add(cells(result, row));
        }
        return new TableText(headings, rows);
    }

    private static List<String> cells(TableResult result, RowResult row) {
        Claims claims = result.table().claims();
        List<String> cells = new ArrayList<>(List.of(row.label()));
        for (Column column : result.table().columns()) {
            cells.add(row.failed() ? FAILED : cell(result.figure(row, column)));
            if (claims.has(column)) {
                cells.add(claims.of(row.label(), column)
                        .map(claim -> Numbers.range(claim.low(), claim.high()))
                        .orElse(""));
            }
        }
        return cells;
    }

    private static String cell(Figure figure) {
        String median = Numbers.text(figure.median());
        String least = Numbers.text(figure.min());
        String most = Numbers.text(figure.max());
        return least.equals(most) ? median : median + " [" + least + " " + most + "]";
    }

    /** Headings and rows. */
    List<List<String>> lines() {
        List<List<String>> lines = new ArrayList<>(List.of(headings));
        lines.addAll(rows);
        return lines;
    }

    /** "5 of 5 rounds, 4 counted: median [least most]; core-to-core hop 45 46 ...; round 3: the machine changed". */
    static String rounds(TableResult result) {
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

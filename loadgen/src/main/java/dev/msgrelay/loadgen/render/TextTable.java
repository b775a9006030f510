package dev.msgrelay.loadgen.render;

import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.protocol.text.TextWidth;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Formats a table as lines of ASCII for a terminal, as CSV, or as Markdown. */
public final class TextTable {
    /** The widest cell. A longer text is cut, so that a row is one line. */
    private static final int MAX_WIDTH = 198;

    /** The smallest width to which the first and the last column are cut. */
    private static final int LEAST = 9;

    private TextTable() {}

    /** Returns the caption and the lines of a table. Columns without any value are left out. */
    public static String of(Table whole) {
        return of(whole, Integer.MAX_VALUE);
    }

    public static String of(Table whole, int columns) {
        Table table = whole.withoutEmpty();
        List<List<String>> lines = lines(table, false);
        int[] widths = IntStream.range(0, table.columns().size())
                .map(i -> lines.stream()
                        .mapToInt(row -> Math.min(MAX_WIDTH, TextWidth.of(row.get(i))))
                        .max()
                        .orElse(0))
                .toArray();
        int sum = IntStream.of(widths).sum();
        String gap = sum + 2 * widths.length > columns ? " " : "  ";
        int over = sum + gap.length() * widths.length - columns;
        for (int i : over > 0 ? new int[] {widths.length - 1, 0} : new int[0]) {
            int cut = Math.max(0, Math.min(over, widths[i] - LEAST));
            widths[i] -= cut;
            over -= cut;
        }
        String text =
                lines.stream().map(cells -> line(table, widths, gap, cells)).collect(Collectors.joining());
        return table.caption().isEmpty() ? text : Unit.ascii(table.caption()) + "\n" + text;
    }

    /** Returns CSV as in RFC 4180. Figures have all digits and no unit. */
    public static String csv(Table table) {
        return lines(table, true).stream()
                .map(cells -> cells.stream()
                        .map(cell -> cell.matches("[^\",\r\n]*") ? cell : '"' + cell.replace("\"", "\"\"") + '"')
                        .collect(Collectors.joining(",", "", "\n")))
                .collect(Collectors.joining());
    }

    public static String markdown(Table table) {
        List<List<String>> lines = lines(table, false);
        lines.add(
                1,
                table.columns().stream()
                        .map(column -> column.isNumber() ? "---:" : "---")
                        .toList());
        return lines.stream()
                .map(cells -> "| " + String.join(" | ", cells) + " |\n")
                .collect(Collectors.joining());
    }

    private static List<List<String>> lines(Table table, boolean inFull) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(table.columns().stream()
                .map(column -> Unit.ascii(column.title()) + (inFull && column.unit() == Unit.NANOS ? ", ns" : ""))
                .toList());
        for (List<Value> row : table.rows()) {
            lines.add(IntStream.range(0, row.size())
                    .mapToObj(i -> text(table.columns().get(i), row.get(i), inFull))
                    .toList());
        }
        return lines;
    }

    private static String text(Table.Column column, Value value, boolean inFull) {
        if (inFull && value.number() != null) {
            return value.isSaid()
                    ? new BigDecimal(value.number().toString())
                            .stripTrailingZeros()
                            .toPlainString()
                    : "";
        }
        boolean doubted = value.number() != null && value.isSaid() && value.mark() == Table.Mark.WARN;
        return Unit.ascii(column.text(value)) + (doubted ? "?" : "");
    }

    private static String line(Table table, int[] widths, String gap, List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            boolean right = table.columns().get(i).isNumber();
            line.append(gap)
                    .append(right ? TextWidth.right(cells.get(i), widths[i]) : TextWidth.left(cells.get(i), widths[i]));
        }
        return line.toString().stripTrailing() + "\n";
    }
}

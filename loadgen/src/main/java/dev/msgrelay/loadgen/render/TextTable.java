package dev.msgrelay.loadgen.render;

import dev.msgrelay.protocol.text.TextWidth;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A table for a terminal: columns side by side, numbers to the right, in characters that every terminal has. */
public final class TextTable {
    /** A text that is longer is cut: a line is a row. */
    private static final int MAX_WIDTH = 198;

    private TextTable() {}

    /** Its lines, each with its end; the caption, where there is one, first. A column without a value is left out. */
    public static String of(Table whole) {
        Table table = whole.withoutEmpty();
        List<List<String>> lines = new ArrayList<>();
        lines.add(table.columns().stream()
                .map(column -> Unit.plain(column.title()))
                .toList());
        for (List<Table.Value> row : table.rows()) {
            List<String> cells = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                cells.add(Unit.plain(table.columns().get(i).text(row.get(i))));
            }
            lines.add(cells);
        }
        String text = lines.stream().map(cells -> line(table, lines, cells)).collect(Collectors.joining());
        return table.caption().isEmpty() ? text : Unit.plain(table.caption()) + "\n" + text;
    }

    private static String line(Table table, List<List<String>> lines, List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            int column = i;
            int widest = lines.stream()
                    .mapToInt(row -> TextWidth.of(row.get(column)))
                    .max()
                    .orElse(0);
            int width = Math.min(MAX_WIDTH, widest);
            boolean right = table.columns().get(i).isNumber();
            line.append("  ")
                    .append(right ? TextWidth.right(cells.get(i), width) : TextWidth.left(cells.get(i), width));
        }
        return line.toString().stripTrailing() + "\n";
    }
}

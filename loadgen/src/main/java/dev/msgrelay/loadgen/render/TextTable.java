package dev.msgrelay.loadgen.render;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.OverflowBehaviour;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table for a terminal: columns side by side, numbers to the right, in characters that every terminal has. */
public final class TextTable {
    /** A text that is longer is cut: a line is a row. */
    private static final int MAX_WIDTH = 200;

    private TextTable() {}

    /** Its lines, each with its end; the caption, where there is one, first. A column without a value is left out. */
    public static String of(Table whole) {
        Table table = whole.withoutEmpty();
        Column[] columns = table.columns().stream().map(TextTable::column).toArray(Column[]::new);
        String[][] rows = table.rows().stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(i -> Unit.plain(table.columns().get(i).text(row.get(i))))
                        .toArray(String[]::new))
                .toArray(String[][]::new);
        String lines = AsciiTable.getTable(AsciiTable.NO_BORDERS, columns, rows)
                .lines()
                .map(line -> " " + line.stripTrailing() + "\n")
                .collect(Collectors.joining());
        return table.caption().isEmpty() ? lines : Unit.plain(table.caption()) + "\n" + lines;
    }

    private static Column column(Table.Column column) {
        HorizontalAlign align = column.isNumber() ? HorizontalAlign.RIGHT : HorizontalAlign.LEFT;
        return new Column()
                .header(Unit.plain(column.title()))
                .headerAlign(align)
                .dataAlign(align)
                .maxWidth(MAX_WIDTH, OverflowBehaviour.ELLIPSIS_RIGHT);
    }
}

package dev.msgrelay.loadgen.page;

import java.util.ArrayList;
import java.util.List;

/**
 * A table. The first cell of each row is its heading.
 *
 * @param caption may be empty
 */
public record Table(String caption, List<Column> columns, List<List<TableCell>> rows) {
    /**
     * @throws IllegalArgumentException a row has not as many cells as there are columns
     */
    public Table {
        columns = List.copyOf(columns);
        List<List<TableCell>> copies = new ArrayList<>();
        for (List<TableCell> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException("table '" + caption + "': a row of " + row.size() + " cells for "
                        + columns.size() + " columns");
            }
            copies.add(List.copyOf(row));
        }
        rows = List.copyOf(copies);
    }

    /**
     * @param number its cells are aligned to the right
     */
    public record Column(String title, boolean number) {
        public static Column text(String title) {
            return new Column(title, false);
        }

        public static Column number(String title) {
            return new Column(title, true);
        }
    }
}

package dev.msgrelay.lab;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The article's own figures for a table's cells, by row label, then by column; as far as it gives them. */
public record ArticleFigures(Map<String, Map<Column, Range>> cells) {
    public static final ArticleFigures NONE = new ArticleFigures(Map.of());

    /** A figure, or a range; all three are the same for a single figure. */
    public record Range(double low, double middle, double high) {
        static Range parse(String text) {
            double[] parts = Arrays.stream(text.split("-"))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            double low = parts[0];
            double high = parts[parts.length - 1];
            return new Range(low, parts.length == 3 ? parts[1] : (low + high) / 2, high);
        }

        @Override
        public String toString() {
            return low == high ? Figure.text(low) : Figure.text(low) + "-" + Figure.text(high);
        }
    }

    /**
     * Figures as a table: a line a row, "label | figure | low-high | low-median-high", a cell a column; empty where
     * there is none. It throws an IllegalArgumentException where a figure is none.
     */
    public static ArticleFigures of(List<Column> columns, String table) {
        Map<String, Map<Column, Range>> cells = new HashMap<>();
        for (String line : table.strip().split("\n")) {
            String[] words = line.split("\\|");
            Map<Column, Range> row = new HashMap<>();
            for (int i = 1; i < words.length; i++) {
                if (!words[i].isBlank()) {
                    row.put(columns.get(i - 1), Range.parse(words[i].strip()));
                }
            }
            cells.put(words[0].strip(), Map.copyOf(row));
        }
        return new ArticleFigures(Map.copyOf(cells));
    }

    /** The article's figure for this cell; null where it has none. */
    public Range of(String row, Column column) {
        return cells.getOrDefault(row, Map.of()).get(column);
    }

    /** Whether there is a figure for any row of this column. */
    public boolean has(Column column) {
        return cells.values().stream().anyMatch(row -> row.containsKey(column));
    }

    /** How many times row {@code b} row {@code a} was there; NaN where it has not both. */
    public double ratio(Column column, String a, String b) {
        Range first = of(a, column);
        Range second = of(b, column);
        return first == null || second == null ? Double.NaN : first.middle() / second.middle();
    }
}

package dev.msgrelay.lab;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The figures that an article gives for the cells of a table, by row label and column. */
public record ArticleFigures(Map<String, Map<Column, Range>> cells) {
    public static final ArticleFigures NONE = new ArticleFigures(Map.of());

    /** A figure or a range. For a single figure the three values are equal. */
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
     * Parses a table with one line for each row: "label | figure | low-high | low-median-high". A cell without a figure
     * is empty.
     *
     * @throws IllegalArgumentException a figure is not a number
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

    public Range of(String row, Column column) {
        return cells.getOrDefault(row, Map.of()).get(column);
    }

    public boolean has(Column column) {
        return cells.values().stream().anyMatch(row -> row.containsKey(column));
    }

    public double ratio(Column column, String a, String b) {
        Range first = of(a, column);
        Range second = of(b, column);
        return first == null || second == null ? Double.NaN : first.middle() / second.middle();
    }
}

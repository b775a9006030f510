package dev.msgrelay.loadgen.lab;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The article's own figures for a table's cells, as far as it gives them.
 *
 * @param cells by row label, then by column
 */
public record Claims(Map<String, Map<Column, Claim>> cells) {
    /** An article that gives no figures. */
    public static final Claims NONE = new Claims(Map.of());

    /**
     * A figure, or a range.
     *
     * @param high the same as {@code low} for a single figure
     */
    public record Claim(double low, double high) {}

    /** What the article says of this cell. */
    public Optional<Claim> of(String row, Column column) {
        return Optional.ofNullable(cells.getOrDefault(row, Map.of()).get(column));
    }

    /** Whether there is a figure for any row of this column. */
    public boolean has(Column column) {
        return cells.values().stream().anyMatch(row -> row.containsKey(column));
    }

    /** These, and one figure more. */
    public Claims and(String row, Column column, double value) {
        return and(row, column, value, value);
    }

    /** These, and one range more. */
    public Claims and(String row, Column column, double low, double high) {
        Map<String, Map<Column, Claim>> more = new HashMap<>(cells);
        Map<Column, Claim> ofRow = new HashMap<>(more.getOrDefault(row, Map.of()));
        ofRow.put(column, new Claim(low, high));
        more.put(row, Map.copyOf(ofRow));
        return new Claims(Map.copyOf(more));
    }
}

package dev.msgrelay.lab;

import java.util.List;
import java.util.stream.Stream;

/** A table as it was measured, perhaps not to its end: a row a contestant, in the table's order. */
public record TableResult(LabTable table, List<Row> rows) {
    /**
     * The goes of a contestant.
     *
     * @param goes from round 1 on, as far as it got; empty where it failed
     * @param failure why it is FAILED; null where it is not
     */
    public record Row(String name, String setting, List<Measurement> goes, String failure) {
        /** The same with one go more. */
        Row and(Measurement go) {
            return new Row(
                    name, setting, Stream.concat(goes.stream(), Stream.of(go)).toList(), failure);
        }

        public String label() {
            return Contestant.label(name, setting);
        }

        public boolean failed() {
            return failure != null;
        }

        public Figure figure(Column column) {
            return Figure.of(goes.stream().mapToDouble(go -> go.value(column)));
        }
    }

    public List<Verdict> verdicts() {
        return table.judge().apply(this);
    }

    /** The table's own plots; a table without any shows its first column round by round. */
    public List<Chart> plots() {
        return table.charts().isEmpty()
                ? List.of(Plots.byRound(this))
                : table.charts().stream().map(chart -> chart.apply(this)).toList();
    }

    /** The row with this label; a table without it is a mistake in the experiment. */
    public Row row(String label) {
        return rows.stream()
                .filter(row -> row.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row '" + label + "' in table " + table.id()));
    }
}

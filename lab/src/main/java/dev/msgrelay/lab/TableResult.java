package dev.msgrelay.lab;

import java.util.List;
import java.util.stream.Stream;

/** The measured rows of a table, in its order. It may be incomplete. */
public record TableResult(LabTable table, List<Row> rows) {
    /**
     * The measurements of a contestant.
     *
     * @param goes from round 1 on; empty if the row failed
     */
    public record Row(String name, String setting, List<Measurement> goes, String failure) {
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

    public List<Chart> plots() {
        return table.charts().isEmpty()
                ? List.of(Plots.byRound(this))
                : table.charts().stream().map(chart -> chart.apply(this)).toList();
    }

    /**
     * Returns the row with this label.
     *
     * @throws IllegalArgumentException the table has no such row
     */
    public Row row(String label) {
        return rows.stream()
                .filter(row -> row.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row '" + label + "' in table " + table.id()));
    }
}

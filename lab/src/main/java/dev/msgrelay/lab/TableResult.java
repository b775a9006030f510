package dev.msgrelay.lab;

import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.result.Spread;
import java.util.List;

/**
 * A table as it was measured, perhaps not to its end.
 *
 * @param rows one a contestant, in the table's order
 */
public record TableResult(LabTable table, List<Row> rows) {
    public TableResult {
        rows = List.copyOf(rows);
    }

    /**
     * What a contestant gave.
     *
     * @param goes from round 1 on, as far as it got; empty where it failed
     * @param failure why it is FAILED; null where it is not
     */
    public record Row(String name, String setting, List<Run<Measurement>> goes, String failure) {
        public Row {
            goes = List.copyOf(goes);
        }

        public String label() {
            return Contestant.label(name, setting);
        }

        public boolean failed() {
            return failure != null;
        }

        /** The goes that count; where there is none, all. */
        List<Run<Measurement>> counted() {
            List<Run<Measurement>> counted = goes.stream().filter(Run::counts).toList();
            return counted.isEmpty() ? goes : counted;
        }
    }

    /** A cell: the median over the goes that count and have it, and the spread. */
    public Spread figure(Row row, Column column) {
        return Spread.of(row.counted(), go -> go.result().value(column));
    }

    /** The plots that go with it. */
    List<Chart> plots() {
        return table.charts().stream().map(chart -> chart.apply(this)).toList();
    }

    /**
     * The row with this label.
     *
     * @throws IllegalArgumentException there is none: a mistake in the experiment
     */
    public Row row(String label) {
        return rows.stream()
                .filter(row -> row.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row '" + label + "' in table " + table.id()));
    }
}

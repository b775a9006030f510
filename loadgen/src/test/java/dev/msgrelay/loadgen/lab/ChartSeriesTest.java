package dev.msgrelay.loadgen.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChartSeriesTest {
    private static final Column LOAD = Column.plain("load", "1/s");
    private static final RoundResult STEADY = new RoundResult(50, 50);

    @Test
    void aLineAWayOfDoingItAPointASetting() {
        TableResult table = result(List.of(
                row("A", "low", List.of(at(10, 5), at(12, 7))),
                row("A", "high", List.of(at(20, 50), at(20, 60))),
                row("B", "low", List.of(at(10, 1), at(10, 1))),
                new RowResult("B", "high", "B, high", List.of(), "lost")));
        assertThat(ChartSeries.ofRows(LOAD, Tables.TIME).of(table))
                .containsExactly(
                        new Chart.Series("A", List.of(new Point(11, 6), new Point(20, 55))),
                        new Chart.Series("B", List.of(new Point(10, 1))));
    }

    @Test
    void aLineARowFromTheCurvesOfItsGoes() {
        TableResult table = result(List.of(row(
                "A",
                "",
                List.of(
                        curve(new Point(50, 3), new Point(99, 9)),
                        curve(new Point(50, 5), new Point(99, 11), new Point(100, 20))))));
        assertThat(ChartSeries.ofCurves().of(table))
                .containsExactly(
                        new Chart.Series("A", List.of(new Point(50, 4), new Point(99, 10), new Point(100, 20))));
    }

    private static Measurement at(double load, double time) {
        return Measurement.of(LOAD, load).and(Tables.TIME, time);
    }

    private static Measurement curve(Point... points) {
        return Measurement.of(Tables.TIME, 1).withCurve(List.of(points));
    }

    private static RowResult row(String name, String setting, List<Measurement> measurements) {
        return new RowResult(name, setting, setting.isEmpty() ? name : name + ", " + setting, measurements, null);
    }

    private static TableResult result(List<RowResult> rows) {
        return new TableResult(Tables.table(Tables.TIME, List.of()), rows, List.of(STEADY, STEADY), 2);
    }
}

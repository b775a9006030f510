package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.Chart.Axis;
import dev.msgrelay.lab.Chart.Series;
import dev.msgrelay.lab.Chart.Series.Point;
import dev.msgrelay.lab.TableResult.Row;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlotsTest {
    private static final Column LOAD = Column.plain("load", "1/s");
    private static final Axis AXIS = Axis.linear("any");

    @Test
    void aLineAWayOfDoingItAPointASetting() {
        TableResult table = Tables.of(
                ArticleFigures.NONE,
                List.of(
                        Tables.row("A", "low", List.of(at(10, 5), at(12, 7))),
                        Tables.row("A", "high", List.of(at(20, 50), at(20, 60))),
                        Tables.row("B", "low", List.of(at(10, 1), at(10, 1))),
                        new Row("B", "high", List.of(), "lost")));
        assertThat(Plots.ofRows("title", AXIS, LOAD, AXIS, Tables.TIME)
                        .apply(table)
                        .series())
                .containsExactly(series("A", 11, 6, 20, 55), series("B", 10, 1));
    }

    @Test
    void aLineARowFromTheCurvesOfItsGoes() {
        Measurement first = curve(new Point(50, 3), new Point(99, 9));
        Measurement second = curve(new Point(50, 5), new Point(99, 11), new Point(100, 20));
        TableResult table = Tables.of(ArticleFigures.NONE, List.of(Tables.row("A", "", List.of(first, second))));
        assertThat(Plots.ofCurves("title", AXIS, AXIS).apply(table).series())
                .containsExactly(series("A", 50, 4, 99, 10, 100, 20));
    }

    private static Series series(String name, double... xy) {
        return new Series(
                name,
                IntStream.range(0, xy.length / 2)
                        .mapToObj(i -> new Series.Point(xy[2 * i], xy[2 * i + 1]))
                        .toList());
    }

    private static Measurement at(double load, double time) {
        return Measurement.of(LOAD, load).and(Tables.TIME, time);
    }

    private static Measurement curve(Point... points) {
        return Measurement.of(Tables.TIME, 1).withCurve(List.of(points));
    }
}

package dev.msgrelay.lab;

import dev.msgrelay.lab.Chart.Axis;
import dev.msgrelay.lab.Chart.Series;
import dev.msgrelay.lab.Chart.Series.Point;
import dev.msgrelay.lab.TableResult.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/** Creates the plots of experiments. Rows that failed are not drawn. */
public final class Plots {
    private Plots() {}

    /**
     * Returns a plot with a line for each way and a point for each setting: the median of column {@code y} over that of
     * {@code x}.
     */
    public static Function<TableResult, Chart> ofRows(String title, Axis xAxis, Column x, Axis yAxis, Column y) {
        return table -> chart(table, title, xAxis, yAxis, Row::name, row -> {
            Point point = new Point(row.figure(x).median(), row.figure(y).median());
            return Double.isNaN(point.x()) || Double.isNaN(point.y()) ? List.of() : List.of(point);
        });
    }

    /** Returns a plot with a line for each row: the curves of its goes, as medians of their points. */
    public static Function<TableResult, Chart> ofCurves(String title, Axis xAxis, Axis yAxis) {
        return table -> chart(table, title, xAxis, yAxis, Row::label, row -> {
            Map<Double, DoubleStream.Builder> atX = new TreeMap<>();
            row.goes().forEach(go -> go.curve()
                    .forEach(point -> atX.computeIfAbsent(point.x(), x -> DoubleStream.builder())
                            .add(point.y())));
            return atX.entrySet().stream()
                    .map(at -> new Point(
                            at.getKey(), Figure.of(at.getValue().build()).median()))
                    .toList();
        });
    }

    static Chart byRound(TableResult table) {
        Column column = table.table().columns().get(0);
        String title = column.name() + ", round by round";
        return chart(table, title, Axis.linear("round"), Axis.log(column.heading()), Row::label, row -> {
            List<Point> line = new ArrayList<>();
            for (int round = 0; round < row.goes().size(); round++) {
                double value = row.goes().get(round).value(column);
                if (!Double.isNaN(value)) {
                    line.add(new Point(round + 1, value));
                }
            }
            return line;
        });
    }

    private static Chart chart(
            TableResult table,
            String title,
            Axis x,
            Axis y,
            Function<Row, String> line,
            Function<Row, List<Point>> points) {
        Map<String, List<Point>> lines = new LinkedHashMap<>();
        for (Row row : table.rows()) {
            lines.computeIfAbsent(line.apply(row), name -> new ArrayList<>()).addAll(points.apply(row));
        }
        lines.values().removeIf(List::isEmpty);
        List<Series> series = new ArrayList<>();
        lines.forEach((name, all) -> series.add(new Series(name, all)));
        return new Chart(title, x, y, series);
    }
}

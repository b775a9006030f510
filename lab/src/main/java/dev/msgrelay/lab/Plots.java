package dev.msgrelay.lab;

import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.render.Chart.Axis;
import dev.msgrelay.loadgen.render.Chart.Series;
import dev.msgrelay.loadgen.render.Chart.Series.Point;
import dev.msgrelay.loadgen.render.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The kinds of plots that the experiments have. Rows that failed have no line. */
public final class Plots {
    private Plots() {}

    public static Axis linear(String label) {
        return Axis.linear(label, Unit.PLAIN);
    }

    public static Axis log(String label) {
        return Axis.log(label, Unit.PLAIN);
    }

    /** A line a way of doing it, a point a setting: medians of one column over medians of another. */
    public static Function<TableResult, Chart> ofRows(String title, Axis xAxis, Column x, Axis yAxis, Column y) {
        return table -> {
            Map<String, List<Point>> lines = new LinkedHashMap<>();
            for (Row row : table.rows()) {
                Point point = new Point(row.figure(x).median(), row.figure(y).median());
                if (!Double.isNaN(point.x()) && !Double.isNaN(point.y())) {
                    lines.computeIfAbsent(row.name(), name -> new ArrayList<>()).add(point);
                }
            }
            return chart(title, xAxis, yAxis, lines);
        };
    }

    /** A line a row: the curves of its goes, of which each point is the median over the goes. */
    public static Function<TableResult, Chart> ofCurves(String title, Axis xAxis, Axis yAxis) {
        return table -> {
            Map<String, List<Point>> lines = new LinkedHashMap<>();
            for (Row row : table.rows()) {
                Map<Double, List<Double>> atX = new TreeMap<>();
                row.goes().forEach(go -> go.curve()
                        .forEach(point -> atX.computeIfAbsent(point.x(), x -> new ArrayList<>())
                                .add(point.y())));
                List<Point> line = new ArrayList<>();
                atX.forEach((x, values) -> line.add(new Point(
                        x, Figure.of(values.stream().mapToDouble(y -> y)).median())));
                lines.put(row.label(), line);
            }
            return chart(title, xAxis, yAxis, lines);
        };
    }

    /** A line a row: the first column, a point a round. */
    static Chart byRound(TableResult table) {
        Column column = table.table().columns().get(0);
        Map<String, List<Point>> lines = new LinkedHashMap<>();
        for (Row row : table.rows()) {
            List<Point> line = new ArrayList<>();
            row.goes().forEach(go -> line.add(new Point(line.size() + 1, go.value(column))));
            lines.put(row.label(), line);
        }
        return chart(column.name() + ", round by round", linear("round"), log(column.heading()), lines);
    }

    private static Chart chart(String title, Axis x, Axis y, Map<String, List<Point>> lines) {
        List<Series> series = lines.entrySet().stream()
                .filter(line -> !line.getValue().isEmpty())
                .map(line -> new Series(line.getKey(), line.getValue(), false))
                .toList();
        return new Chart(title, "", x, y, series);
    }
}

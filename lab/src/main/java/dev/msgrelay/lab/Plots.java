package dev.msgrelay.lab;

import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.render.Chart.Axis;
import dev.msgrelay.loadgen.render.Chart.Series;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The two kinds of plots that the experiments have. Rows that failed have no line. */
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
            Map<String, List<Series.Point>> lines = new LinkedHashMap<>();
            for (Row row : table.rows()) {
                Spread across = table.figure(row, x);
                Spread up = table.figure(row, y);
                if (across.isKnown() && up.isKnown()) {
                    lines.computeIfAbsent(row.name(), name -> new ArrayList<>())
                            .add(new Series.Point(across.median(), up.median()));
                }
            }
            return chart(title, xAxis, yAxis, lines);
        };
    }

    /** A line a row: the curves of its goes, of which each point is the median over the goes that count. */
    public static Function<TableResult, Chart> ofCurves(String title, Axis xAxis, Axis yAxis) {
        return table -> {
            Map<String, List<Series.Point>> lines = new LinkedHashMap<>();
            for (Row row : table.rows()) {
                List<Series.Point> line = medianCurve(row);
                if (!line.isEmpty()) {
                    lines.put(row.label(), line);
                }
            }
            return chart(title, xAxis, yAxis, lines);
        };
    }

    private static List<Series.Point> medianCurve(Row row) {
        Map<Double, List<Double>> atX = new TreeMap<>();
        for (Run<Measurement> go : row.counted()) {
            for (Series.Point point : go.result().curve()) {
                atX.computeIfAbsent(point.x(), x -> new ArrayList<>()).add(point.y());
            }
        }
        List<Series.Point> curve = new ArrayList<>();
        atX.forEach((x, values) ->
                curve.add(new Series.Point(x, Spread.of(values, y -> y).median())));
        return curve;
    }

    private static Chart chart(String title, Axis x, Axis y, Map<String, List<Series.Point>> lines) {
        List<Series> series = lines.entrySet().stream()
                .map(line -> new Series(line.getKey(), line.getValue(), false))
                .toList();
        return new Chart(title, "", x, y, series);
    }
}

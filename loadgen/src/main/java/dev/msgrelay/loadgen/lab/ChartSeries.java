package dev.msgrelay.loadgen.lab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The two kinds of plots that the experiments have. Rows that failed have no line. */
public final class ChartSeries {
    private ChartSeries() {}

    /** A line a way of doing it, a point a setting: medians of one column over medians of another. */
    public static Chart.Source ofRows(Column x, Column y) {
        return table -> {
            Map<String, List<Point>> lines = new LinkedHashMap<>();
            for (RowResult row : table.rows()) {
                Figure across = table.figure(row, x);
                Figure up = table.figure(row, y);
                if (across.isPresent() && up.isPresent()) {
                    lines.computeIfAbsent(row.name(), name -> new ArrayList<>())
                            .add(new Point(across.median(), up.median()));
                }
            }
            return series(lines);
        };
    }

    /** A line a row: the curves of its goes, of which each point is the median over the rounds that count. */
    public static Chart.Source ofCurves() {
        return table -> {
            Map<String, List<Point>> lines = new LinkedHashMap<>();
            for (RowResult row : table.rows()) {
                List<Point> line = medianCurve(table, row);
                if (!line.isEmpty()) {
                    lines.put(row.label(), line);
                }
            }
            return series(lines);
        };
    }

    private static List<Point> medianCurve(TableResult table, RowResult row) {
        Map<Double, List<Double>> atX = new LinkedHashMap<>();
        for (int round : table.counted()) {
            if (round < row.measurements().size()) {
                for (Point point : row.measurements().get(round).curve()) {
                    atX.computeIfAbsent(point.x(), x -> new ArrayList<>()).add(point.y());
                }
            }
        }
        return atX.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> new Point(
                        entry.getKey(),
                        Figure.of(entry.getValue().stream().mapToDouble(y -> y).toArray())
                                .median()))
                .toList();
    }

    private static List<Chart.Series> series(Map<String, List<Point>> lines) {
        return lines.entrySet().stream()
                .map(line -> new Chart.Series(line.getKey(), List.copyOf(line.getValue())))
                .toList();
    }
}

package dev.msgrelay.lab;

import dev.msgrelay.lab.Chart.Series;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of one go of a contestant.
 *
 * @param curve points of a plot, such as the percentiles of a histogram; may be empty
 */
public record Measurement(Map<Column, Double> values, List<Series.Point> curve) {
    public static Measurement of(Column column, double value) {
        return new Measurement(Map.of(column, value), List.of());
    }

    public Measurement and(Column column, double value) {
        Map<Column, Double> more = new LinkedHashMap<>(values);
        more.put(column, value);
        return new Measurement(more, curve);
    }

    public Measurement withCurve(List<Series.Point> points) {
        return new Measurement(values, points);
    }

    public double value(Column column) {
        return values.getOrDefault(column, Double.NaN);
    }
}

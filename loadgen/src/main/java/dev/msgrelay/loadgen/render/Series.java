package dev.msgrelay.loadgen.render;

import java.util.ArrayList;
import java.util.List;

/**
 * One curve.
 *
 * @param points from left to right
 * @param dashed stands for something to compare with, such as a ceiling
 */
public record Series(String name, List<Point> points, boolean dashed) {
    public Series {
        points = List.copyOf(points);
    }

    /**
     * @param y NaN: the curve has a gap there
     */
    public record Point(double x, double y) {}

    /**
     * @throws IllegalArgumentException not as many y as x
     */
    public static Series of(String name, double[] x, double[] y) {
        if (x.length != y.length) {
            throw new IllegalArgumentException("series '" + name + "': " + x.length + " x for " + y.length + " y");
        }
        List<Point> points = new ArrayList<>(x.length);
        for (int i = 0; i < x.length; i++) {
            points.add(new Point(x[i], y[i]));
        }
        return new Series(name, points, false);
    }

    /** The same at every x from the first to the last, dashed. */
    public static Series level(String name, double from, double to, double y) {
        return new Series(name, List.of(new Point(from, y), new Point(to, y)), true);
    }
}

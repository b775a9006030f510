package dev.msgrelay.loadgen.lab;

import java.util.List;

/**
 * A plot that a table carries.
 *
 * @param series gives the lines once the table is there
 */
public record Chart(String title, Axis x, Axis y, Source series) {
    /**
     * @param label with its unit
     */
    public record Axis(String label, boolean logarithmic) {}

    /** One line. */
    public record Series(String name, List<Point> points) {}

    /** Where the lines come from. See {@link ChartSeries}. */
    @FunctionalInterface
    public interface Source {
        List<Series> of(TableResult table);
    }
}

package dev.msgrelay.loadgen.lab;

import java.util.Arrays;

/**
 * A cell: the median over the rounds that count, and the spread.
 *
 * @param rounds how many rounds have a value; with none, the other fields are NaN
 */
public record Figure(double median, double min, double max, int rounds) {
    /** No value at all. */
    public static final Figure NONE = new Figure(Double.NaN, Double.NaN, Double.NaN, 0);

    /** Leaves out what is NaN. */
    public static Figure of(double... values) {
        double[] sorted = Arrays.stream(values)
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return NONE;
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Figure(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    public boolean isPresent() {
        return rounds > 0;
    }
}

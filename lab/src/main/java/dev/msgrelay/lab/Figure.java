package dev.msgrelay.lab;

import java.util.stream.DoubleStream;

/** A figure over several goes; NaN throughout where no go has it. */
public record Figure(double median, double min, double max) {
    /** The figure of these values; NaN is left out. */
    public static Figure of(DoubleStream values) {
        double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
        int n = sorted.length;
        return n == 0
                ? new Figure(Double.NaN, Double.NaN, Double.NaN)
                : new Figure((sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]);
    }

    public boolean isKnown() {
        return !Double.isNaN(median);
    }
}

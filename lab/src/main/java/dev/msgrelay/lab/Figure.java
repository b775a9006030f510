package dev.msgrelay.lab;

import static dev.msgrelay.loadgen.render.Unit.format;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.stream.DoubleStream;

public record Figure(double median, double min, double max) {
    private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_UP);

    public static Figure of(DoubleStream values) {
        double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
        int n = sorted.length;
        return n == 0
                ? new Figure(Double.NaN, Double.NaN, Double.NaN)
                : new Figure((sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]);
    }

    @Override
    public String toString() {
        String least = text(min);
        return least.equals(text(max)) ? text(median) : text(median) + " [" + least + " " + text(max) + "]";
    }

    /** Formats three significant digits without an exponent: "0.0123", "381", "14,200,000"; "-" for NaN. */
    public static String text(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "-" : String.valueOf(value);
        }
        BigDecimal rounded = BigDecimal.valueOf(value).round(THREE_DIGITS);
        return Math.abs(value) >= 1e3
                ? format("%,d", rounded.longValue())
                : rounded.stripTrailingZeros().toPlainString();
    }
}

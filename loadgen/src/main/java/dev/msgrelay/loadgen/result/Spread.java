package dev.msgrelay.loadgen.result;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** A figure over several runs; NaN throughout where none of them has it. */
public record Spread(double median, double min, double max) {
    /** Over all runs that have it. */
    public static <T> Spread of(Collection<T> runs, ToDoubleFunction<T> figure) {
        double[] values = runs.stream()
                .mapToDouble(figure)
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        return values.length == 0
                ? new Spread(Double.NaN, Double.NaN, Double.NaN)
                : new Spread(Counted.median(values), values[0], values[values.length - 1]);
    }

    public boolean isKnown() {
        return !Double.isNaN(median);
    }
}

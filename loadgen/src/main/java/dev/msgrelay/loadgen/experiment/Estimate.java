package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

/**
 * A value, as far as it is known.
 *
 * @param low the value is from here
 * @param high to here, at the confidence that was asked for or a little more
 */
public record Estimate(double value, double low, double high) {
    /** Where there are too few values for an interval. */
    static final Estimate UNKNOWN = new Estimate(Double.NaN, Double.NaN, Double.NaN);

    public boolean isKnown() {
        return !Double.isNaN(value);
    }

    /** The ratio that is meant by a difference of logarithms. */
    public Estimate exp() {
        return new Estimate(Math.exp(value), Math.exp(low), Math.exp(high));
    }

    String interval() {
        return format("%.3f..%.3f", low, high);
    }

    public boolean includes(double other) {
        return low <= other && other <= high;
    }
}

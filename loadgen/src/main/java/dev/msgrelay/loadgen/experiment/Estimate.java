package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

/**
 * A value and its interval.
 *
 * @param low begin of the interval
 * @param high end of the interval, at the confidence that was asked for or a little more
 */
public record Estimate(double value, double low, double high) {
    static final Estimate UNKNOWN = new Estimate(Double.NaN, Double.NaN, Double.NaN);

    public boolean isKnown() {
        return !Double.isNaN(value);
    }

    /** The ratio, of an estimate that is a difference of logarithms. */
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

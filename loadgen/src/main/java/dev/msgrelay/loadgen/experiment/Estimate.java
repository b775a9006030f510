package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

/** An estimated value and its confidence interval. */
public record Estimate(double value, double low, double high) {
    static final Estimate UNKNOWN = new Estimate(Double.NaN, Double.NaN, Double.NaN);

    public boolean isKnown() {
        return !Double.isNaN(value);
    }

    /** Converts the estimate of a difference of logarithms to the estimate of a ratio. */
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

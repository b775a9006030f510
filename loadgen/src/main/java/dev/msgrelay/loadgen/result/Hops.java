package dev.msgrelay.loadgen.result;

/**
 * The core-to-core hop right before and right after a run, in nanoseconds; NaN when not measured.
 */
public record Hops(double beforeNanos, double afterNanos) {
    /** Not measured. */
    public static final Hops NONE = new Hops(Double.NaN, Double.NaN);

    public Regime regime() {
        return Regime.of(beforeNanos, afterNanos);
    }
}

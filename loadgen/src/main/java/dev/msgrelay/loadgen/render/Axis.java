package dev.msgrelay.loadgen.render;

/**
 * An axis of a chart.
 *
 * @param label what it counts
 */
public record Axis(String label, Unit unit, Scale scale) {
    /** How values lie on an axis. */
    public enum Scale {
        /** A y axis of it starts at 0. */
        LINEAR,
        /** Values of 0 and less are left out. */
        LOG,
        /**
         * For an x axis: values are 1 / (1 - p) of a percentile p, on a logarithmic scale, and shown as that percentile:
         * 10 is 90 %, 1000 is 99.9 %.
         */
        PERCENTILE
    }

    public static Axis linear(String label, Unit unit) {
        return new Axis(label, unit, Scale.LINEAR);
    }

    public static Axis log(String label, Unit unit) {
        return new Axis(label, unit, Scale.LOG);
    }

    /** An x axis of percentiles; see {@link Scale#PERCENTILE}. */
    public static Axis percentiles(String label) {
        return new Axis(label, Unit.PLAIN, Scale.PERCENTILE);
    }

    /** Whether it has a place for this value. */
    boolean shows(double value) {
        return Double.isFinite(value) && (scale == Scale.LINEAR || value > 0);
    }
}

package dev.msgrelay.loadgen.render;

import java.util.List;

/**
 * Curves over a common x.
 *
 * @param note one line under the title; may be empty
 */
public record Chart(String title, String note, Axis x, Axis y, List<Series> series) {
    /** An axis of a chart, and what it counts. */
    public record Axis(String label, Unit unit, Scale scale) {
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
    }

    /** One curve, from left to right; a dashed one stands for something to compare with, such as a ceiling. */
    public record Series(String name, List<Point> points, boolean dashed) {
        /** A point; the curve has a gap where y is NaN. */
        public record Point(double x, double y) {}
    }
}

package dev.msgrelay.lab;

import dev.msgrelay.loadgen.render.Unit;
import java.util.List;

/** Curves over a common x, as the page's script draws them. */
public record Chart(String title, Axis x, Axis y, List<Series> series) {
    public record Axis(String label, Unit unit, Scale scale) {
        public enum Scale {
            /** A y axis of it starts at 0. */
            LINEAR,
            /** Values of 0 and less are left out. */
            LOG
        }

        public static Axis linear(String label) {
            return new Axis(label, Unit.PLAIN, Scale.LINEAR);
        }

        public static Axis log(String label) {
            return new Axis(label, Unit.PLAIN, Scale.LOG);
        }
    }

    /** One curve, from left to right. */
    public record Series(String name, List<Point> points) {
        /** A point; the curve has a gap where y is NaN. */
        public record Point(double x, double y) {}
    }
}

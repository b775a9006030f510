package dev.msgrelay.lab;

import dev.msgrelay.loadgen.render.Unit;
import java.util.List;

/** Curves over a common x axis, as the page's script draws them. */
public record Chart(String title, Axis x, Axis y, List<Series> series) {
    public record Axis(String label, Unit unit, Scale scale) {
        public enum Scale {
            /** A linear scale, which starts at 0 for a y axis. */
            LINEAR,
            /** A logarithmic scale; values of 0 and below are left out. */
            LOG
        }

        public static Axis linear(String label) {
            return new Axis(label, Unit.PLAIN, Scale.LINEAR);
        }

        public static Axis log(String label) {
            return new Axis(label, Unit.PLAIN, Scale.LOG);
        }
    }

    public record Series(String name, List<Point> points) {
        public record Point(double x, double y) {}
    }
}

package dev.msgrelay.lab;

import java.util.Locale;

/**
 * A figure that is measured for every row.
 *
 * @param unit "us", "MB/s"; empty for a count
 */
public record Column(String name, String unit, Better better) {
    public enum Better {
        HIGHER,
        LOWER,
        /** The figure is shown, but not judged. */
        NEITHER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Column higher(String name, String unit) {
        return new Column(name, unit, Better.HIGHER);
    }

    public static Column lower(String name, String unit) {
        return new Column(name, unit, Better.LOWER);
    }

    public static Column plain(String name, String unit) {
        return new Column(name, unit, Better.NEITHER);
    }

    public String heading() {
        return unit.isEmpty() ? name : name + " (" + unit + ")";
    }
}

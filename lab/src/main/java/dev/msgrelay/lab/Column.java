package dev.msgrelay.lab;

import java.util.Locale;

/**
 * One measured figure of every row.
 *
 * @param name the heading; also the key in the JSON
 * @param unit "us", "MB/s"; empty for a plain count
 */
public record Column(String name, String unit, Better better) {
    public enum Better {
        HIGHER,
        LOWER,
        /** Neither: told, not judged. */
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

    /** "best (us)". */
    public String heading() {
        return unit.isEmpty() ? name : name + " (" + unit + ")";
    }
}

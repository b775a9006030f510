package dev.msgrelay.loadgen.render;

import java.util.Locale;

/** The unit of a number, which decides how it is formatted. */
public enum Unit {
    TEXT,
    /** A number with up to three decimals: "0.123", "12,345". */
    PLAIN,
    /** A whole number with all digits: "128,903,285". */
    WHOLE,
    /** Messages, or messages a second: "23.4 M". */
    COUNT,
    BYTES,
    /** Bytes a second: "118 MB/s". */
    BYTES_PER_SECOND,
    /** Nanoseconds: "42 µs", "1.3 ms". */
    NANOS,
    SECONDS,
    /** A fraction: 0.973 is "97.3 %". */
    FRACTION,
    RATIO,
    /** A number with two digits: "0.94", "9.41". */
    HUNDREDTHS;

    private static final double KILO = 1e3;

    /** Returns the number and its unit, with a decimal point in every locale; "–" for NaN. */
    public String text(Number number) {
        double value = number.doubleValue();
        if (Double.isNaN(value)) {
            return "–";
        }
        return switch (this) {
            case TEXT, PLAIN -> Math.abs(value) >= 1e4 ? format("%,.0f", value) : trimmed("%.3f", value);
            case WHOLE -> format("%,.0f", value);
            case COUNT -> scaled(value, "", "k", "M", "G");
            case BYTES -> scaled(value, "B", "kB", "MB", "GB");
            case BYTES_PER_SECOND -> scaled(value, "B", "kB", "MB", "GB") + "/s";
            case NANOS -> scaled(value, "ns", "µs", "ms", "s");
            case SECONDS -> trimmed("%.2f", value) + " s";
            case FRACTION -> format("%.1f %%", value * 100);
            case RATIO -> format("%.3f", value);
            case HUNDREDTHS -> format("%,.2f", value);
        };
    }

    public String ascii(Number number) {
        return ascii(text(number));
    }

    /** Replaces characters that some terminals cannot show. */
    public static String ascii(String text) {
        return text.replace('µ', 'u').replace('–', '-').replace("→", "->");
    }

    public static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    /** Formats three digits, with the largest unit for which the number is at least 1. */
    private static String scaled(double value, String... names) {
        double rest = value;
        int name = 0;
        while (Math.abs(rest) >= 999.5 && name < names.length - 1) {
            rest /= KILO;
            name++;
        }
        String digits = Math.abs(rest) >= 99.95
                ? format("%,.0f", rest)
                : trimmed(Math.abs(rest) >= 9.995 ? "%.1f" : "%.2f", rest);
        return names[name].isEmpty() ? digits : digits + " " + names[name];
    }

    private static String trimmed(String pattern, double value) {
        String text = format(pattern, value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }
}

package dev.msgrelay.loadgen.page;

import java.util.Locale;

/** What numbers mean, and so how they are shown, in tables and on axes alike. */
public enum Unit {
    /** As it is. */
    PLAIN {
        @Override
        String shown(double value) {
            return Math.abs(value) >= 1e4 ? format("%,.0f", value) : trimmed("%.3f", value);
        }
    },
    /** Of messages, or messages a second: "23.4 M". */
    COUNT {
        @Override
        String shown(double value) {
            return scaled(value, "", "k", "M", "G");
        }
    },
    /** In millions and thousands: "117.7 MB". */
    BYTES {
        @Override
        String shown(double value) {
            return scaled(value, "B", "kB", "MB", "GB");
        }
    },
    /** "42 µs", "1.3 ms". */
    NANOS {
        @Override
        String shown(double value) {
            return scaled(value, "ns", "µs", "ms", "s");
        }
    },
    /** "3.2 s". */
    SECONDS {
        @Override
        String shown(double value) {
            return trimmed("%.2f", value) + " s";
        }
    },
    /** 0.973 is "97.3 %". */
    FRACTION {
        @Override
        String shown(double value) {
            return format("%.1f %%", value * 100);
        }
    };

    private static final double KILO = 1e3;

    /** With its unit, always with a point, whatever the locale; "–" for NaN. */
    public String text(double value) {
        return Double.isNaN(value) ? "–" : shown(value);
    }

    abstract String shown(double value);

    /** Three digits and the last of the names that is not too large. */
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

    private static String format(String pattern, double value) {
        return String.format(Locale.ROOT, pattern, value);
    }
}

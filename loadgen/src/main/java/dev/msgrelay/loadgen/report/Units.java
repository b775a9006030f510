package dev.msgrelay.loadgen.report;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Figures as people read them. */
final class Units {
    private static final double KILO = 1e3;
    private static final double MEGA = 1e6;

    private Units() {}

    /** Messages a second: "23.4 M", "128 k", "950". */
    static String count(double value) {
        if (value >= MEGA) {
            return format("%.2f M", value / MEGA);
        }
        return value >= 10 * KILO ? format("%.0f k", value / KILO) : format("%.0f", value);
    }

    /** Bytes: "2,510 MB" in millions, "850 kB". */
    static String bytes(double value) {
        return value >= MEGA ? format("%,.0f MB", value / MEGA) : format("%.0f kB", value / KILO);
    }

    /** A latency: "42 us", "1.3 ms". */
    static String nanos(long nanos) {
        if (nanos >= TimeUnit.SECONDS.toNanos(1)) {
            return format("%.2f s", nanos / 1e9);
        }
        return nanos >= TimeUnit.MILLISECONDS.toNanos(1)
                ? format("%.2f ms", nanos / 1e6)
                : format("%.0f us", nanos / KILO);
    }

    static String seconds(long nanos) {
        return format("%.1f s", nanos / 1e9);
    }

    /** Always with a point, whatever the locale. */
    static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}

package dev.msgrelay.loadgen.doctor;

import java.util.Locale;

/** Figures as the findings write them. */
final class Texts {
    private static final double KILO = 1e3;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;

    private Texts() {}

    /** Bytes in decimal units: "850 bytes", "131 kB", "4.2 MB", "25.3 GB". */
    static String bytes(long bytes) {
        if (bytes >= GIGA) {
            return format("%.1f GB", bytes / GIGA);
        }
        if (bytes >= MEGA) {
            return format("%.1f MB", bytes / MEGA);
        }
        return bytes >= 10 * KILO ? format("%.0f kB", bytes / KILO) : format("%,d bytes", bytes);
    }

    /** Always with a point, whatever the locale. */
    static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}

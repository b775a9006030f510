package dev.msgrelay.server.admin;

import java.util.Arrays;
import java.util.Locale;

/** The header Accept: how much a client wants a type of content (RFC 9110, section 12.5.1). */
final class Accept {
    private Accept() {}

    /**
     * The quality of a type, 0 (not at all) to 1: the quality of the narrowest range that has the type.
     *
     * @param header the header's values, separated by commas; empty: any type is fine
     * @param type a type such as {@code text/plain}
     */
    static double quality(String header, String type) {
        if (header.isBlank()) {
            return 1;
        }
        double quality = 0;
        int narrowest = 0;
        for (String range : header.split(",")) {
            String[] parts = range.split(";");
            int narrow = narrowness(parts[0].strip().toLowerCase(Locale.ROOT), type);
            // Ranges with several parameters may name one type: the highest quality counts.
            double q = q(parts);
            if (narrow > narrowest || narrow == narrowest && narrow > 0 && q > quality) {
                narrowest = narrow;
                quality = q;
            }
        }
        return quality;
    }

    /** Whether the header has the type by name, and not only within a range of types. */
    static boolean names(String header, String type) {
        return Arrays.stream(header.split(","))
                .anyMatch(range -> range.split(";")[0].strip().equalsIgnoreCase(type));
    }

    /**
     * How narrowly a range has the type: 3 by name, 2 by the main type, 1 by any type; 0: the range does not have it.
     */
    private static int narrowness(String range, String type) {
        if (range.equals(type)) {
            return 3;
        }
        if (range.equals(type.substring(0, type.indexOf('/')) + "/*")) {
            return 2;
        }
        return range.equals("*/*") ? 1 : 0;
    }

    private static double q(String... parts) {
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.matches("q=[01](\\.\\d{0,3})?")) {
                return Math.min(1, Double.parseDouble(parameter.substring(2)));
            }
        }
        return 1;
    }
}

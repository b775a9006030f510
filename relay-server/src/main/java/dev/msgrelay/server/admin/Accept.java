package dev.msgrelay.server.admin;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

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
        for (String range : List.of(type, type.substring(0, type.indexOf('/')) + "/*", "*/*")) {
            // Ranges with several parameters may name one type: the highest quality counts.
            OptionalDouble quality =
                    ranges(header, range).mapToDouble(Accept::q).max();
            if (quality.isPresent()) {
                return quality.getAsDouble();
            }
        }
        return 0;
    }

    /** Whether the header has the type by name, and not only within a range of types. */
    static boolean names(String header, String type) {
        return ranges(header, type).findAny().isPresent();
    }

    /** The header's ranges with this name; each has its parameters behind its name. */
    private static Stream<String[]> ranges(String header, String name) {
        return Arrays.stream(header.split(","))
                .map(range -> range.split(";", -1))
                .filter(parts -> parts[0].strip().equalsIgnoreCase(name));
    }

    private static double q(String... parts) {
        return Arrays.stream(parts)
                .skip(1)
                .map(parameter -> parameter.strip().toLowerCase(Locale.ROOT))
                .filter(parameter -> parameter.matches("q=[01](\\.\\d{0,3})?"))
                .mapToDouble(parameter -> Math.min(1, Double.parseDouble(parameter.substring(2))))
                .findFirst()
                .orElse(1);
    }
}

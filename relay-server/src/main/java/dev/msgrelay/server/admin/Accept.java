package dev.msgrelay.server.admin;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The header Accept: a client's preferences among types of content (RFC 9110, section 12.5.1). */
final class Accept {
    private Accept() {}

    /**
     * Returns the quality of a type, from 0 (refused) to 1. The narrowest range that includes the type decides.
     *
     * @param header the header's values, separated by commas; empty if any type is accepted
     * @param type a type such as {@code text/plain}
     */
    static double quality(String header, String type) {
        if (header.isBlank()) {
            return 1;
        }
        for (String range : List.of(type, type.substring(0, type.indexOf('/')) + "/*", "*/*")) {
            // If a type is listed several times, with different parameters, the highest quality counts.
            OptionalDouble quality = Arrays.stream(header.split(","))
                    .map(accepted -> accepted.split(";", -1))
                    .filter(parts -> parts[0].strip().equalsIgnoreCase(range))
                    .mapToDouble(Accept::q)
                    .max();
            if (quality.isPresent()) {
                return quality.getAsDouble();
            }
        }
        return 0;
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

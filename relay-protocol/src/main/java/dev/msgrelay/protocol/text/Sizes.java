package dev.msgrelay.protocol.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in bytes as people write them: {@code 65536}, {@code 64k}, {@code 4m}, {@code 1g}; powers of 1,024. */
public final class Sizes {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})([kmg]?)(i?b)?");

    private Sizes() {}

    /**
     * Parses a size; upper and lower case are the same, and {@code 64kb} and {@code 64KiB} mean {@code 64k}.
     *
     * @param most largest size accepted, in bytes
     * @return bytes, 0..{@code most}
     * @throws IllegalArgumentException the text is no size, or over the limit; the message has the text, and the
     *     accepted forms or the limit
     */
    public static long parse(String text, long most) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size: a number of bytes, or one with k, m or g behind it");
        }
        int shift =
                switch (form.group(2)) {
                    case "k" -> 10;
                    case "m" -> 20;
                    case "g" -> 30;
                    default -> 0;
                };
        long number = Long.parseLong(form.group(1));
        if (number > most >> shift) {
            throw new IllegalArgumentException("'" + text + "' is over the limit of " + most + " bytes");
        }
        return number << shift;
    }

    /** Parses a size that fits an int. */
    public static int parse(String text) {
        return (int) parse(text, Integer.MAX_VALUE);
    }
}

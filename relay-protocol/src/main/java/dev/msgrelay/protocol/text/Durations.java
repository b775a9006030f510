package dev.msgrelay.protocol.text;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 12h}, {@code 7d}; a bare number is
 * seconds.
 */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|[smhd])?");

    private Durations() {}

    /**
     * Parses a duration; upper and lower case are the same.
     *
     * @throws IllegalArgumentException the text is no duration; the message has the text and the accepted forms
     */
    public static Duration parse(String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a duration like 500ms, 10s or 2m; a bare number is seconds");
        }
        long number = Long.parseLong(form.group(1));
        return switch (form.group(2) == null ? "s" : form.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            case "d" -> Duration.ofDays(number);
            default -> Duration.ofSeconds(number);
        };
    }

    /**
     * Parses a duration with a limit.
     *
     * @throws IllegalArgumentException the text is no duration, or over the limit; the message has the text, and the
     *     accepted forms or the limit
     */
    public static Duration parse(String text, Duration most) {
        Duration duration = parse(text);
        if (duration.compareTo(most) > 0) {
            throw new IllegalArgumentException("'" + text + "' is over the limit of " + format(most));
        }
        return duration;
    }

    /**
     * The form that {@link #parse} reads, in the largest of m, s and ms that leaves no rest; less than a millisecond is
     * cut off.
     */
    public static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 60_000 == 0 && millis != 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}

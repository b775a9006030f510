package dev.msgrelay.loadgen.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 500ms}, {@code 10s}, {@code 2m}; a bare number is seconds. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})(ms|s|m)?");
    private static final Duration LIMIT = Duration.ofHours(1);

    @Override
    public Duration convert(String value) {
        Matcher matcher = FORM.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + value + "' is not a duration like 500ms, 10s or 2m");
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2) == null ? "s" : matcher.group(2);
        Duration duration =
                switch (unit) {
                    case "ms" -> Duration.ofMillis(number);
                    case "m" -> Duration.ofMinutes(number);
                    default -> Duration.ofSeconds(number);
                };
        if (duration.compareTo(LIMIT) > 0) {
            throw new TypeConversionException("'" + value + "' is over the limit of 60m");
        }
        return duration;
    }
}

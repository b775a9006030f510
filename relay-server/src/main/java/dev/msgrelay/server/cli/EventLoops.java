package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.RelayConfig;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A number of event loops, or {@code auto}. */
final class EventLoops implements ITypeConverter<Integer> {
    static final String AUTO = "auto";

    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    @Override
    public Integer convert(String value) {
        String trimmed = value.trim().toLowerCase(Locale.ROOT);
        if (trimmed.equals(AUTO)) {
            return RelayConfig.AUTO_EVENT_LOOPS;
        }
        if (!NUMBER.matcher(trimmed).matches()) {
            throw new TypeConversionException("'" + value + "' is neither auto nor a number of event loops");
        }
        return Integer.parseInt(trimmed);
    }
}

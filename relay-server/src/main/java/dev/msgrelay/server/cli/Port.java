package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.ListenConfig;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A TCP port, or {@code none}. */
final class Port implements ITypeConverter<Integer> {
    private static final String NONE = "none";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    @Override
    public Integer convert(String value) {
        if (value.equals(NONE)) {
            return ListenConfig.OFF;
        }
        if (!NUMBER.matcher(value).matches()) {
            throw new TypeConversionException("'" + value + "' is neither none nor a port");
        }
        return Integer.parseInt(value);
    }
}

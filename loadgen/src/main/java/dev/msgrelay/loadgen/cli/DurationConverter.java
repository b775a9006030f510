package dev.msgrelay.loadgen.cli;

import dev.msgrelay.protocol.text.Durations;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@link Durations}, up to an hour, for picocli. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Duration LIMIT = Duration.ofHours(1);

    @Override
    public Duration convert(String value) {
        try {
            return Durations.parse(value, LIMIT);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}

package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.Sizes;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of the command line with the shared parsers, whose messages the user reads. */
final class Converters {
    private Converters() {}

    static final class OfDuration implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            return parse(value, Durations::parse);
        }
    }

    static final class OfSize implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            return parse(value, Sizes::parse);
        }
    }

    static final class OfPolicy implements ITypeConverter<Policy> {
        @Override
        public Policy convert(String value) {
            return parse(value, Policy::ofFlag);
        }
    }

    static final class OfLevel implements ITypeConverter<Level> {
        @Override
        public Level convert(String value) {
            return parse(value, Level::ofFlag);
        }
    }

    static final class OfRanges implements ITypeConverter<TypeRanges> {
        @Override
        public TypeRanges convert(String value) {
            return parse(value, TypeRanges::parse);
        }
    }

    private static <T> T parse(String value, Function<String, T> parser) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}

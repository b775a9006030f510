package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.Sizes;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a size of the command line with {@link Sizes}. */
final class ByteSize implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
        try {
            return Sizes.parse(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}

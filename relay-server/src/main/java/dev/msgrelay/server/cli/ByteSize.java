package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.Sizes;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@link Sizes} for the command line. */
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

package dev.msgrelay.server.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes as people write them: {@code 65536}, {@code 64k}, {@code 4m}, {@code 1g}; powers of 1,024. */
final class ByteSize implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})([kmg]?)(i?b)?");

    @Override
    public Integer convert(String value) {
        Matcher m = FORM.matcher(value.trim().toLowerCase(Locale.ROOT));
        if (!m.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a size: a number of bytes, or one with k, m or g behind it");
        }
        int shift =
                switch (m.group(2)) {
                    case "k" -> 10;
                    case "m" -> 20;
                    case "g" -> 30;
                    default -> 0;
                };
        long number = Long.parseLong(m.group(1));
        if (number > (long) Integer.MAX_VALUE >> shift) {
            throw new TypeConversionException("'" + value + "' is over the limit of " + Integer.MAX_VALUE + " bytes");
        }
        return (int) (number << shift);
    }
}

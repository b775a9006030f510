package dev.msgrelay.loadgen.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of messages a second: {@code 20000}, {@code 20k} (thousand) or {@code 1.5M} (million). */
final class Thousands implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(-?\\d{1,9}(?:\\.\\d{1,6})?)([km]?)");

    @Override
    public Integer convert(String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw refused(text);
        }
        int power = form.group(2).isEmpty() ? 0 : form.group(2).equals("k") ? 3 : 6;
        try {
            return new BigDecimal(form.group(1)).scaleByPowerOfTen(power).intValueExact();
        } catch (ArithmeticException e) {
            throw refused(text);
        }
    }

    private static TypeConversionException refused(String text) {
        return new TypeConversionException("'" + text + "' is not a number of messages like 20000, 20k or 1.5M");
    }
}

package dev.msgrelay.loadgen.lane;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The line rate of a link in each direction, including frame headers, preambles and gaps. */
public record LinkSpeed(long bitsPerSecond) {
    public static final long MIN_BITS = 1_000_000L;

    /** The fastest Ethernet that is specified: 1,600 Gbit/s. */
    public static final long MAX_BITS = 1_600_000_000_000L;

    private static final Pattern FORM =
            Pattern.compile("(\\d{1,7}(?:\\.\\d{1,6})?)(?:([mg])(?:be|bit|bit/s|bps)?)?", Pattern.CASE_INSENSITIVE);
    private static final int MEGA_DIGITS = 6;
    private static final int GIGA_DIGITS = 9;

    public LinkSpeed {
        if (bitsPerSecond < MIN_BITS || bitsPerSecond > MAX_BITS) {
            throw new IllegalArgumentException(text(bitsPerSecond) + " is not within 1 Mbit/s..1600 Gbit/s");
        }
    }

    /**
     * Parses {@code 1gbe}, {@code 2.5g}, {@code 100m} or {@code 40Gbit/s}, with decimal prefixes. A number without a
     * unit is in Mbit/s.
     */
    public static LinkSpeed parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a speed like 1gbe, 2.5g, or 940 for 940 Mbit/s");
        }
        boolean mega = !"g".equalsIgnoreCase(matcher.group(2));
        return new LinkSpeed(new BigDecimal(matcher.group(1))
                .scaleByPowerOfTen(mega ? MEGA_DIGITS : GIGA_DIGITS)
                .longValue());
    }

    public static LinkSpeed ofMegabits(long megabits) {
        return new LinkSpeed(Math.multiplyExact(megabits, MIN_BITS));
    }

    public double bytesPerSecond() {
        return bitsPerSecond / (double) Byte.SIZE;
    }

    @Override
    public String toString() {
        return text(bitsPerSecond);
    }

    private static String text(long bits) {
        boolean giga = bits >= 1_000_000_000L;
        String number = BigDecimal.valueOf(bits)
                .scaleByPowerOfTen(giga ? -GIGA_DIGITS : -MEGA_DIGITS)
                .stripTrailingZeros()
                .toPlainString();
        return number + (giga ? " Gbit/s" : " Mbit/s");
    }
}

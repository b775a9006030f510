package dev.msgrelay.lab;

import static dev.msgrelay.loadgen.render.Unit.format;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Figures of any size as people read them: three digits that say something, and no exponent. */
public final class Numbers {
    private static final int DIGITS = 3;
    private static final double GROUPED = 1_000;

    private Numbers() {}

    /** "0.0123", "4.2", "381", "14,200,000"; "-" for what there is not. */
    public static String text(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        if (Double.isInfinite(value) || value == 0) {
            return value == 0 ? "0" : String.valueOf(value);
        }
        BigDecimal rounded = BigDecimal.valueOf(value).round(new MathContext(DIGITS, RoundingMode.HALF_UP));
        return Math.abs(value) >= GROUPED
                ? format("%,d", rounded.longValue())
                : rounded.stripTrailingZeros().toPlainString();
    }
}

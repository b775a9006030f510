package dev.msgrelay.loadgen.message;

import dev.msgrelay.protocol.FrameLayout;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sizes of message bodies. {@code 100} is one size for all; {@code 16-1000} is every size from 16 to 1000, equally
 * often. {@code 1k} is 1,024. {@link #toString} returns a text that {@link #parse} accepts. Immutable.
 */
public record BodySizes(int min, int max) {
    public static final int MIN = LoadMessage.MIN_BODY;
    public static final int MAX = FrameLayout.MAX_MAX_BODY;

    private static final int KIBI_SHIFT = 10;
    private static final Pattern FORM = Pattern.compile("(-?[0-9]{1,15})([kK]?)(?:-([0-9]{1,15})([kK]?))?");

    public static BodySizes fixed(int size) {
        return new BodySizes(within("", size), size);
    }

    public static BodySizes parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a number of bytes, such as 100 or 1k, or MIN-MAX, as in 16-1000");
        }
        if (matcher.group(3) == null) {
            return fixed(within("", bytes(matcher, 1)));
        }
        int from = within(text + ": ", bytes(matcher, 1));
        int to = within(text + ": ", bytes(matcher, 3));
        if (from > to) {
            throw new IllegalArgumentException("'" + text + "' starts at " + from + ", above its end at " + to);
        }
        return new BodySizes(from, to);
    }

    private static long bytes(Matcher matcher, int group) {
        return Long.parseLong(matcher.group(group)) << (matcher.group(group + 1).isEmpty() ? 0 : KIBI_SHIFT);
    }

    private static int within(String where, long size) {
        if (size < MIN || size > MAX) {
            throw new IllegalArgumentException(where + size + " is not within " + MIN + ".." + MAX);
        }
        return (int) size;
    }

    public boolean isFixed() {
        return min == max;
    }

    public double mean() {
        return ((double) min + max) / 2;
    }

    public String describe() {
        return isFixed()
                ? String.format(Locale.ROOT, "%,d-byte bodies", min)
                : String.format(Locale.ROOT, "bodies of %,d to %,d bytes (mean %,d)", min, max, Math.round(mean()));
    }

    @Override
    public String toString() {
        return isFixed() ? "" + min : min + "-" + max;
    }
}

package dev.msgrelay.protocol;

import dev.msgrelay.protocol.text.TextWidth;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A set of types of messages, such as those that a subscriber wants: ranges of types, both ends included. Immutable.
 *
 * <p>Always in normal form: ascending, with ranges that overlap or touch joined, so that equal sets are equal objects.
 * No range has a reserved type. As text: {@code "7,100-199"}, {@code "-5--1"}, {@code "all"}.
 *
 * <p>On the wire, in a frame that has their count; no range means every type:
 *
 * <pre>
 *  +---------------------------------------------------------------+
 *  |                       From (int32)                            |  x count
 *  +---------------------------------------------------------------+
 *  |                       To (int32), included                    |
 *  +---------------------------------------------------------------+
 * </pre>
 */
public final class TypeRanges {
    /** Most ranges of one set, counted before they are joined. */
    public static final int MAX_RANGES = 1024;

    /** Bytes of one range on the wire. */
    public static final int RANGE_LENGTH = 2 * Integer.BYTES;

    /** Every type that a message can have. */
    public static final TypeRanges ALL =
            new TypeRanges(new int[] {ControlFrames.LAST + 1}, new int[] {Integer.MAX_VALUE});

    private static final String ALL_TEXT = "all";
    private static final Pattern RANGE = Pattern.compile("(-?\\d{1,18})(?:-(-?\\d{1,18}))?");
    private static final int QUOTED = 40;

    private final int[] from;
    private final int[] to;

    private TypeRanges(int[] from, int[] to) {
        this.from = from;
        this.to = to;
    }

    /**
     * The set of some ranges.
     *
     * @param bounds from, to, from, to, and so on; none: every type
     * @throws IllegalArgumentException a range is wrong; the message names it and the rule that it breaks
     */
    public static TypeRanges of(int... bounds) {
        if (bounds.length % 2 != 0) {
            throw new IllegalArgumentException(bounds.length + " bounds do not make ranges: each has two");
        }
        checkCount(bounds.length / 2);
        long[] ranges = new long[bounds.length / 2];
        for (int i = 0; i < ranges.length; i++) {
            ranges[i] = checked(bounds[2 * i], bounds[2 * i + 1]);
        }
        return normal(ranges);
    }

    /**
     * Parses the form that {@link #toString} returns: types and ranges of types, separated by commas, or {@code all}.
     * Spaces around them are ignored.
     *
     * @throws IllegalArgumentException a range is wrong; the message names it and the rule that it breaks
     */
    public static TypeRanges parse(String text) {
        if (text.strip().equals(ALL_TEXT)) {
            return ALL;
        }
        checkCount(text.chars().filter(c -> c == ',').count() + 1);
        String[] items = text.split(",", -1);
        long[] ranges = new long[items.length];
        for (int i = 0; i < items.length; i++) {
            String item = items[i].strip();
            Matcher matcher = RANGE.matcher(item);
            if (item.length() > QUOTED || !matcher.matches()) {
                throw new IllegalArgumentException(
                        "\"" + quoted(item) + "\" is neither a type nor two types joined by '-'");
            }
            int first = type(matcher.group(1));
            ranges[i] = checked(first, matcher.group(2) == null ? first : type(matcher.group(2)));
        }
        return normal(ranges);
    }

    /** Whether the set has this type; never true for a reserved type. */
    public boolean contains(int type) {
        int low = 0;
        int high = from.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (type < from[middle]) {
                high = middle - 1;
            } else if (type > to[middle]) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    /** The types that are both in this set and in {@code other}; null: there is none. */
    public TypeRanges intersect(TypeRanges other) {
        if (isAll() || other.isAll()) {
            return isAll() ? other : this;
        }
        int[] first = new int[from.length + other.from.length];
        int[] last = new int[first.length];
        int count = 0;
        int mine = 0;
        int theirs = 0;
        while (mine < from.length && theirs < other.from.length) {
            int low = Math.max(from[mine], other.from[theirs]);
            int high = Math.min(to[mine], other.to[theirs]);
            if (low <= high) {
                first[count] = low;
                last[count++] = high;
            }
            // The range that ends first has no more types in common with the other set.
            if (to[mine] < other.to[theirs]) {
                mine++;
            } else {
                theirs++;
            }
        }
        return count == 0 ? null : new TypeRanges(Arrays.copyOf(first, count), Arrays.copyOf(last, count));
    }

    /** Whether the set has every type. */
    public boolean isAll() {
        return from.length == 1 && from[0] == ALL.from[0] && to[0] == ALL.to[0];
    }

    /** The number of ranges on the wire; 0: every type. */
    public int count() {
        return isAll() ? 0 : from.length;
    }

    /** Bytes that the ranges take on the wire. */
    int encodedLength() {
        return count() * RANGE_LENGTH;
    }

    /** The ranges in their form on the wire, without their count. */
    byte[] encode() {
        ByteBuffer ranges = ByteBuffer.allocate(encodedLength());
        for (int i = 0; i < count(); i++) {
            ranges.putInt(from[i]).putInt(to[i]);
        }
        return ranges.array();
    }

    /** Reads the ranges of a frame's body, which may be in any order. */
    static TypeRanges decode(int frame, ByteBuffer body, int offset, int count) {
        Fields.within(frame, "count of ranges", count, 0, MAX_RANGES);
        Fields.room(frame, "ranges", body, offset, count * RANGE_LENGTH);
        long[] ranges = new long[count];
        try {
            for (int i = 0; i < count; i++) {
                int at = offset + i * RANGE_LENGTH;
                ranges[i] = checked(Fields.int32(body, at), Fields.int32(body, at + Integer.BYTES));
            }
        } catch (IllegalArgumentException e) {
            throw new Fields.Invalid(frame, e.getMessage());
        }
        return normal(ranges);
    }

    private static TypeRanges normal(long[] ranges) {
        if (ranges.length == 0) {
            return ALL;
        }
        Arrays.sort(ranges);
        int[] from = new int[ranges.length];
        int[] to = new int[ranges.length];
        int last = -1;
        for (long range : ranges) {
            int first = (int) (range >> 32);
            // A long sum: the successor of the highest type is not the lowest one.
            if (last >= 0 && first <= to[last] + 1L) {
                to[last] = Math.max(to[last], (int) range);
            } else {
                last++;
                from[last] = first;
                to[last] = (int) range;
            }
        }
        return new TypeRanges(Arrays.copyOf(from, last + 1), Arrays.copyOf(to, last + 1));
    }

    private static void checkCount(long count) {
        if (count > MAX_RANGES) {
            throw new IllegalArgumentException(count + " ranges are over the limit of " + MAX_RANGES);
        }
    }

    /** A range as a number that sorts by its start, or the exception that names the rule which it breaks. */
    private static long checked(int from, int to) {
        // The reserved types are the lowest of all.
        if (from <= to && from > ControlFrames.LAST) {
            return (long) from << 32 | to & 0xFFFFFFFFL;
        }
        throw new IllegalArgumentException("range " + from + " to " + to
                + (from > to
                        ? " runs backwards"
                        : " holds reserved types, " + ControlFrames.typeName(ControlFrames.FIRST) + " to "
                                + ControlFrames.typeName(ControlFrames.LAST) + ": it must not start below "
                                + (ControlFrames.LAST + 1)));
    }

    private static int type(String digits) {
        long type = Long.parseLong(digits);
        if (type < Integer.MIN_VALUE || type > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "type " + digits + " is not within " + Integer.MIN_VALUE + ".." + Integer.MAX_VALUE);
        }
        return (int) type;
    }

    private static String quoted(String item) {
        return item.length() > QUOTED ? TextWidth.firstChars(item, QUOTED) + "..." : item;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TypeRanges that && Arrays.equals(from, that.from) && Arrays.equals(to, that.to);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        return text(Integer.MAX_VALUE);
    }

    /**
     * The set as text with at most {@code mostRanges} ranges, and the number of further ones: {@code 1-9,12 and 3
     * more}.
     */
    public String text(int mostRanges) {
        if (isAll()) {
            return ALL_TEXT;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(mostRanges, from.length); i++) {
            text.append(i == 0 ? "" : ",").append(from[i]);
            if (to[i] != from[i]) {
                text.append('-').append(to[i]);
            }
        }
        return from.length <= mostRanges
                ? text.toString()
                : text.append(" and ")
                        .append(from.length - mostRanges)
                        .append(" more")
                        .toString();
    }
}

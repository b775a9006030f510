package dev.msgrelay.protocol.text;

import java.util.Arrays;

/**
 * The width of texts on a terminal, and texts cut or filled to a width: in columns, code point by code point.
 * Characters of East Asia and most emoji take two columns, marks that combine with the character before take none.
 *
 * <pre>
 *   "abc" 3     "日本" 4     "e" and U+0301 1     "😀" 2
 * </pre>
 */
public final class TextWidth {
    /** The mark at the place where a text was cut. */
    private static final char CUT = '~';

    private static final int ZERO_WIDTH_JOINER = 0x200D;
    private static final int SOFT_HYPHEN = 0xAD;
    private static final int FIRST_JOINED_JAMO = 0x1160;
    private static final int LAST_JOINED_JAMO = 0x11FF;

    /** Pairs of first and last: East_Asian_Width W and F of Unicode 14. */
    private static final int[] WIDE = {
        0x1100, 0x115F, 0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x23F0, 0x23F0,
        0x23F3, 0x23F3, 0x25FD, 0x25FE, 0x2614, 0x2615, 0x2648, 0x2653, 0x267F, 0x267F,
        0x2693, 0x2693, 0x26A1, 0x26A1, 0x26AA, 0x26AB, 0x26BD, 0x26BE, 0x26C4, 0x26C5,
        0x26CE, 0x26CE, 0x26D4, 0x26D4, 0x26EA, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26F5,
        0x26FA, 0x26FA, 0x26FD, 0x26FD, 0x2705, 0x2705, 0x270A, 0x270B, 0x2728, 0x2728,
        0x274C, 0x274C, 0x274E, 0x274E, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797,
        0x27B0, 0x27B0, 0x27BF, 0x27BF, 0x2B1B, 0x2B1C, 0x2B50, 0x2B50, 0x2B55, 0x2B55,
        0x2E80, 0x303E, 0x3041, 0x3247, 0x3250, 0x4DBF, 0x4E00, 0xA4C6, 0xA960, 0xA97C,
        0xAC00, 0xD7A3, 0xF900, 0xFAD9, 0xFE10, 0xFE19, 0xFE30, 0xFE6B, 0xFF01, 0xFF60,
        0xFFE0, 0xFFE6, 0x16FE0, 0x1B2FB, 0x1F004, 0x1F004, 0x1F0CF, 0x1F0CF, 0x1F18E, 0x1F18E,
        0x1F191, 0x1F19A, 0x1F200, 0x1F320, 0x1F32D, 0x1F335, 0x1F337, 0x1F37C, 0x1F37E, 0x1F393,
        0x1F3A0, 0x1F3CA, 0x1F3CF, 0x1F3D3, 0x1F3E0, 0x1F3F0, 0x1F3F4, 0x1F3F4, 0x1F3F8, 0x1F43E,
        0x1F440, 0x1F440, 0x1F442, 0x1F4FC, 0x1F4FF, 0x1F53D, 0x1F54B, 0x1F54E, 0x1F550, 0x1F567,
        0x1F57A, 0x1F57A, 0x1F595, 0x1F596, 0x1F5A4, 0x1F5A4, 0x1F5FB, 0x1F64F, 0x1F680, 0x1F6C5,
        0x1F6CC, 0x1F6CC, 0x1F6D0, 0x1F6D2, 0x1F6D5, 0x1F6DF, 0x1F6EB, 0x1F6EC, 0x1F6F4, 0x1F6FC,
        0x1F7E0, 0x1F7F0, 0x1F90C, 0x1F93A, 0x1F93C, 0x1F945, 0x1F947, 0x1F9FF, 0x1FA70, 0x1FAFF,
        0x20000, 0x3FFFD
    };

    private TextWidth() {}

    /** Columns of one character. */
    public static int of(int codePoint) {
        int type = Character.getType(codePoint);
        boolean none = type == Character.NON_SPACING_MARK
                || type == Character.ENCLOSING_MARK
                || type == Character.CONTROL
                || type == Character.FORMAT && codePoint != SOFT_HYPHEN
                || codePoint >= FIRST_JOINED_JAMO && codePoint <= LAST_JOINED_JAMO;
        return none ? 0 : isWide(codePoint) ? 2 : 1;
    }

    /** Columns of a text. */
    public static int of(String text) {
        return text.codePoints().map(TextWidth::of).sum();
    }

    /** The text cut to {@code columns} columns, with a mark; no character is cut in half, nor parted from its marks. */
    public static String cut(String text, int columns) {
        if (columns <= 0) {
            return "";
        }
        return of(text) <= columns ? text : text.substring(0, charsWithin(text, columns - 1)) + CUT;
    }

    /** The text cut at its start: for texts whose end tells more. */
    public static String cutStart(String text, int columns) {
        if (columns <= 0) {
            return "";
        }
        int width = of(text);
        if (width <= columns) {
            return text;
        }
        int start = 0;
        // Marks of a left-out character go with it.
        while (start < text.length() && (width > columns - 1 || of(text.codePointAt(start)) == 0)) {
            int codePoint = text.codePointAt(start);
            width -= of(codePoint);
            start += Character.charCount(codePoint);
        }
        return CUT + text.substring(start);
    }

    /** The text cut, or filled up with blanks at its end, to exactly {@code columns} columns. */
    public static String left(String text, int columns) {
        String cut = cut(text, columns);
        return cut + blanks(cut, columns);
    }

    /** The text cut, or filled up with blanks at its start, to exactly {@code columns} columns. */
    public static String right(String text, int columns) {
        String cut = cut(text, columns);
        return blanks(cut, columns) + cut;
    }

    /** The first chars of a text, at most {@code most}; no surrogate pair is cut in half. */
    public static String firstChars(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean half = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
        return text.substring(0, half ? most - 1 : most);
    }

    /** Number of chars of the text that fit {@code columns} columns. */
    private static int charsWithin(String text, int columns) {
        int width = 0;
        int end = 0;
        while (end < text.length()) {
            int codePoint = text.codePointAt(end);
            width += of(codePoint);
            if (width > columns) {
                break;
            }
            end += Character.charCount(codePoint);
        }
        // A joiner at the end has lost the character that it would join.
        while (end > 0 && text.charAt(end - 1) == ZERO_WIDTH_JOINER) {
            end--;
        }
        return end;
    }

    private static String blanks(String text, int columns) {
        return " ".repeat(Math.max(0, columns - of(text)));
    }

    private static boolean isWide(int codePoint) {
        if (codePoint < WIDE[0]) {
            return false;
        }
        int at = Arrays.binarySearch(WIDE, codePoint);
        // Within a range, or one of its ends.
        return at >= 0 || (-at - 1) % 2 == 1;
    }
}

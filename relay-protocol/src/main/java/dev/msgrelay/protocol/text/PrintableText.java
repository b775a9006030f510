package dev.msgrelay.protocol.text;

import java.util.Locale;

/** Text from strangers, on its way to a terminal or into JSON. */
public final class PrintableText {
    private static final int ZERO_WIDTH_JOINER = 0x200D;
    private static final int REPLACEMENT = 0xFFFD;

    private PrintableText() {}

    /** Whether the character shows, and does not control the terminal. */
    public static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL -> codePoint == '\t';
            // Format characters include those that turn the writing direction; the joiner is a part of many emoji.
            case Character.FORMAT -> codePoint == ZERO_WIDTH_JOINER;
            case Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** The text with U+FFFD for characters that are not printable: a relay's text must not control the terminal. */
    public static String line(String text) {
        if (text.codePoints().allMatch(PrintableText::isPrintable)) {
            return text;
        }
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(c -> isPrintable(c) ? c : REPLACEMENT).forEach(line::appendCodePoint);
        return line.toString();
    }

    /** Appends text as the inside of a JSON string; characters that are not printable become escapes. */
    public static void appendEscaped(StringBuilder target, CharSequence text) {
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> target.append("\\\"");
                case '\\' -> target.append("\\\\");
                case '\t' -> target.append("\\t");
                case '\n' -> target.append("\\n");
                case '\r' -> target.append("\\r");
                default -> appendPrintable(target, c);
            }
        });
    }

    private static void appendPrintable(StringBuilder target, int codePoint) {
        if (isPrintable(codePoint)) {
            target.appendCodePoint(codePoint);
            return;
        }
        for (char unit : Character.toChars(codePoint)) {
            target.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
        }
    }
}

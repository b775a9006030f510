package dev.msgrelay.protocol.text;

/** Text of others, on its way to a terminal or into JSON. */
public final class PrintableText {
    private static final int ZERO_WIDTH_JOINER = 0x200D;
    private static final int REPLACEMENT = 0xFFFD;

    private PrintableText() {}

    /** Whether it shows, and does nothing else to the terminal. */
    public static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL -> codePoint == '\t';
            // Among them those that turn the writing direction; the joiner is a part of many emoji.
            case Character.FORMAT -> codePoint == ZERO_WIDTH_JOINER;
            case Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** The same with U+FFFD for whatever is not printable: what a relay says must not steer the terminal. */
    public static String line(String text) {
        if (text.codePoints().allMatch(PrintableText::isPrintable)) {
            return text;
        }
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(c -> isPrintable(c) ? c : REPLACEMENT).forEach(line::appendCodePoint);
        return line.toString();
    }

    /** Appends printable text as the inside of a JSON string. */
    public static void appendEscaped(StringBuilder target, CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> target.append("\\\"");
                case '\\' -> target.append("\\\\");
                case '\t' -> target.append("\\t");
                default -> target.append(c);
            }
        }
    }
}

package dev.msgrelay.protocol.text;

import java.util.Arrays;

/**
 * Text of the command line or the environment that the JVM could not decode, as under the locale C: each byte has
 * become U+FFFD. Two names would become one, and a path another path, so such text is refused.
 */
public final class UndecodedText {
    private static final char REPLACEMENT = '\uFFFD';

    private UndecodedText() {}

    /** Whether a character of the text is lost. */
    public static boolean in(String text) {
        return text.indexOf(REPLACEMENT) >= 0;
    }

    /** The fault of a program's arguments, in one line; null: there is none. */
    public static String faultOf(String... args) {
        return Arrays.stream(args)
                .filter(UndecodedText::in)
                .findFirst()
                .map(arg -> fault("argument", arg))
                .orElse(null);
    }

    /**
     * The fault of a text with lost characters.
     *
     * @param what kind of the text: an argument, a variable
     */
    public static String fault(String what, String text) {
        return what + " '" + PrintableText.line(text) + "' has characters that are not known in this locale ("
                + System.getProperty("sun.jnu.encoding", "unknown") + "): set LC_ALL=C.UTF-8";
    }
}

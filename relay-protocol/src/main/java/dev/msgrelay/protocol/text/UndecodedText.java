package dev.msgrelay.protocol.text;

import java.util.Arrays;

/**
 * Text of the command line or the environment that the JVM could not decode, as under the locale C: each byte is U+FFFD by
 * then. Two names would become one, and a path another one, so it is refused.
 */
public final class UndecodedText {
    private static final char REPLACEMENT = '\uFFFD';

    private UndecodedText() {}

    /** Whether a part of the text is lost. */
    public static boolean in(String text) {
        return text.indexOf(REPLACEMENT) >= 0;
    }

    /** What is wrong with the arguments of a program, in one line; null: nothing. */
    public static String faultOf(String... args) {
        return Arrays.stream(args)
                .filter(UndecodedText::in)
                .findFirst()
                .map(arg -> fault("argument", arg))
                .orElse(null);
    }

    /**
     * What is wrong with a text that has such a part.
     *
     * @param what it is: an argument, a variable
     */
    public static String fault(String what, String text) {
        return what + " '" + PrintableText.line(text) + "' has characters that are not known in this locale ("
                + System.getProperty("sun.jnu.encoding", "unknown") + "): set LC_ALL=C.UTF-8";
    }
}

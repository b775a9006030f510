package dev.msgrelay.server.cli;

import java.nio.file.Path;
import java.util.ArrayDeque;

/**
 * Limits of a configuration's text, all files together, before the library parses it: the library recurses, has an
 * object for each word, line and brace, and looks at all substitutions of a key for each of them.
 */
final class HoconText {
    /** Most words, lines, braces and brackets: 10,000 identities have about 200,000. */
    static final int MOST_WORDS = 300_000;

    /** Most words, lists and sections of one value without a comma between: the library joins them one by one. */
    static final int MOST_JOINED = 1_000;

    /** Most substitutions, and values that are added to a list. */
    static final int MOST_SUBSTITUTIONS = 300;

    /** Most sections within sections, and values that refer to values. */
    static final int MOST_DEEP = 100;

    static final String WITHIN = " within one another: the limit is " + MOST_DEEP;

    private static final String SEPARATORS = ",:={}[]";

    private int words;
    private int substitutions;

    /** Counts words, substitutions, braces, brackets and the dots of keys, but not within comments. */
    void check(Path path, String text) {
        int line = 1;
        // Sections within one another, and how many of them each open brace has begun: a.b { is two.
        int deep = 0;
        ArrayDeque<Integer> open = new ArrayDeque<>();
        int dots = 0;
        int joined = 0;
        boolean within = false;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"' || c == '#' || text.startsWith("//", at)) {
                words += c == '"' ? 1 : 0;
                joined += c == '"' ? 1 : 0;
                within = false;
                int end = c == '"' ? endOfQuoted(text, at) : endOfLine(text, at) - 1;
                line += (int)
                        text.substring(at, end).chars().filter(n -> n == '\n').count();
                at = end;
                continue;
            }
            boolean separator = SEPARATORS.indexOf(c) >= 0;
            boolean word = c > ' ' && !separator;
            boolean opens = c == '{' || c == '[';
            line += c == '\n' ? 1 : 0;
            if (opens) {
                open.push(1 + dots);
                deep += 1 + dots;
            } else if ((c == '}' || c == ']') && !open.isEmpty()) {
                deep -= open.pop();
            }
            boolean begins = word && !within || opens;
            within = word;
            words += begins || c == '\n' ? 1 : 0;
            joined = ",:=\n".indexOf(c) >= 0 ? 0 : joined + (begins ? 1 : 0);
            dots = c == '.' ? dots + 1 : separator || c == '\n' ? 0 : dots;
            substitutions += text.startsWith("${", at) || text.startsWith("+=", at) ? 1 : 0;
            limit(path, line, deep <= MOST_DEEP, "sections" + WITHIN);
            limit(path, line, dots <= MOST_DEEP, "words of a key" + WITHIN);
            limit(
                    path,
                    line,
                    joined <= MOST_JOINED,
                    "over the limit of " + MOST_JOINED + " words, lists and sections of a value");
            limit(path, line, words <= MOST_WORDS, "over the limit of " + MOST_WORDS + " words and lines");
            limit(
                    path,
                    line,
                    substitutions <= MOST_SUBSTITUTIONS,
                    "over the limit of " + MOST_SUBSTITUTIONS + " substitutions");
        }
    }

    private static void limit(Path path, int line, boolean kept, String fault) {
        if (!kept) {
            throw new IllegalArgumentException(path + ":" + line + ": " + fault);
        }
    }

    /** The offset of the closing quotation mark, or of the text's end. */
    static int endOfQuoted(String text, int at) {
        String three = "\"\"\"";
        if (text.startsWith(three, at)) {
            int end = text.indexOf(three, at + 3);
            return end < 0 ? text.length() : end + 2;
        }
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\n') {
                return i;
            }
            i += c == '\\' ? 1 : 0;
        }
        return text.length();
    }

    private static int endOfLine(String text, int at) {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }
}

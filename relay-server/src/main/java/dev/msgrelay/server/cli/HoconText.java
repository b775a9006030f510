package dev.msgrelay.server.cli;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits of a configuration's text, all files together, before the library parses it: the library recurses, has an
 * object for each word, line and brace, and looks at all substitutions of a key for each of them.
 */
final class HoconText {
    /** Most words, lines, braces and brackets: 10,000 identities have about 200,000. */
    static final int MOST_WORDS = 300_000;

    /** Most words, lists and sections of one value without a comma between: the library joins them one by one. */
    static final int MOST_JOINED = 1_000;

    /** Most variables that values take from the environment, and values that are added to a list. */
    static final int MOST_SUBSTITUTIONS = 300;

    /** Most sections within sections, and words of a key. */
    static final int MOST_DEEP = 100;

    static final String WITHIN = " within one another: the limit is " + MOST_DEEP;

    /** Values that refer to values could double with each line. */
    static final String NO_REFERENCES = "; values do not refer to other values";

    private static final String SEPARATORS = ",:={}[]";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{\\??([A-Za-z_][A-Za-z0-9_]{0,254})}");

    // Of all files so far.
    private final Set<String> variables = new HashSet<>();
    private int words;
    private int substitutions;

    /** Checks the text of one more file. */
    void check(Path path, String text) {
        new Walk(path, text).run();
    }

    /** Whether a value takes the variable from the environment. */
    boolean takes(String variable) {
        return variables.contains(variable);
    }

    /** A walk over the text of one file, character by character, past quoted texts and comments. */
    private final class Walk {
        private final Path path;
        private final String text;
        private int line = 1;
        // How many sections each open brace has begun: a.b { is two. Deep is their sum.
        private final ArrayDeque<Integer> open = new ArrayDeque<>();
        private int deep;
        // Dots of the present key; words, lists and sections of the present value.
        private int dots;
        private int joined;
        private boolean withinWord;

        Walk(Path path, String text) {
            this.path = path;
            this.text = text;
        }

        void run() {
            for (int at = 0; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == '"') {
                    begins();
                    withinWord = false;
                    int end = endOfQuoted(text, at);
                    line += (int) text.substring(at, end)
                            .chars()
                            .filter(n -> n == '\n')
                            .count();
                    at = end;
                } else if (c == '#' || text.startsWith("//", at)) {
                    // The library ends the value here: /data//journal would be /data.
                    limit(
                            !withinWord,
                            "a comment begins directly behind a text, whose rest it would be: quote it all, or put a"
                                    + " blank before a comment");
                    at = endOfLine(text, at) - 1;
                } else if (text.startsWith("${", at)) {
                    at = addVariable(at) - 1;
                } else {
                    substitutions += text.startsWith("+=", at) ? 1 : 0;
                    step(c);
                }
                checkLimits();
            }
        }

        /** Returns the offset behind the variable, which is a part of a word as a letter is. */
        private int addVariable(int at) {
            Matcher name = VARIABLE.matcher(text).region(at, text.length());
            limit(name.lookingAt(), "${...} takes the name of a variable of the environment" + NO_REFERENCES);
            variables.add(name.group(1));
            substitutions++;
            if (!withinWord) {
                begins();
            }
            withinWord = true;
            return name.end();
        }

        private void step(char c) {
            boolean word = !isBlank(c) && SEPARATORS.indexOf(c) < 0;
            if (word && !withinWord) {
                begins();
            }
            withinWord = word;
            switch (c) {
                case '.' -> dots++;
                case '{', '[' -> {
                    begins();
                    open.push(1 + dots);
                    deep += 1 + dots;
                    dots = 0;
                }
                case '}', ']' -> {
                    deep -= open.isEmpty() ? 0 : open.pop();
                    dots = 0;
                }
                case ',', ':', '=' -> ends();
                case '\n' -> {
                    line++;
                    words++;
                    ends();
                }
                default -> {}
            }
        }

        /** A word, a list or a section begins. */
        private void begins() {
            words++;
            joined++;
        }

        /** A key or a value ends. */
        private void ends() {
            dots = 0;
            joined = 0;
        }

        private void checkLimits() {
            limit(deep <= MOST_DEEP, "sections" + WITHIN);
            limit(dots <= MOST_DEEP, "words of a key" + WITHIN);
            limit(joined <= MOST_JOINED, "over the limit of " + MOST_JOINED + " words, lists and sections of a value");
            limit(words <= MOST_WORDS, "over the limit of " + MOST_WORDS + " words and lines");
            limit(substitutions <= MOST_SUBSTITUTIONS, "over the limit of " + MOST_SUBSTITUTIONS + " substitutions");
        }

        private void limit(boolean kept, String fault) {
            if (!kept) {
                throw new IllegalArgumentException(path + ":" + line + ": " + fault);
            }
        }
    }

    /** The offset of the closing quotation mark, or of the text's end. */
    private static int endOfQuoted(String text, int at) {
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

    /** What the library takes for white space, and control characters. */
    private static boolean isBlank(char c) {
        return c <= ' ' || Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\uFEFF';
    }

    private static int endOfLine(String text, int at) {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }
}

package dev.msgrelay.server.cli;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A look at a configuration's text, all files together, before the library parses it: comments that would cut a text, the
 * variables that are taken, and a limit on words, since a relay that runs reads its file again, and the library has an object
 * for each word, line and brace.
 */
final class HoconText {
    /** Most words, lines, braces and brackets: 10,000 identities have about 200,000. */
    static final int MOST_WORDS = 300_000;

    /** Values that refer to values could double with each line. */
    static final String NO_REFERENCES = "; values do not refer to other values";

    private static final String SEPARATORS = ",:={}[]";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{\\??([A-Za-z_][A-Za-z0-9_]{0,254})}");

    // Of all files so far.
    private final Set<String> variables = new HashSet<>();
    private int words;

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
        private boolean withinWord;

        Walk(Path path, String text) {
            this.path = path;
            this.text = text;
        }

        void run() {
            for (int at = 0; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == '"') {
                    words++;
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
                    step(c);
                }
                limit(words <= MOST_WORDS, "over the limit of " + MOST_WORDS + " words and lines");
            }
        }

        /** Returns the offset behind the variable, which is a part of a word as a letter is. */
        private int addVariable(int at) {
            Matcher name = VARIABLE.matcher(text).region(at, text.length());
            limit(name.lookingAt(), "${...} takes the name of a variable of the environment" + NO_REFERENCES);
            variables.add(name.group(1));
            if (!withinWord) {
                words++;
            }
            withinWord = true;
            return name.end();
        }

        private void step(char c) {
            boolean word = !isBlank(c) && SEPARATORS.indexOf(c) < 0;
            if (word && !withinWord) {
                words++;
            }
            withinWord = word;
            if (c == '{' || c == '[' || c == '\n') {
                words++;
            }
            line += c == '\n' ? 1 : 0;
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

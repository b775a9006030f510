package dev.msgrelay.protocol.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Words for people about an input in whose place a secret may have been given by mistake: a key instead of its file's
 * name, a token instead of an option. A possible secret is not shown.
 */
public final class SecretText {
    /** Dashes of PEM, which no file's name has. */
    private static final String DASHES = "-----";

    private static final Pattern OPTION = Pattern.compile("(--[a-z]+(-[a-z]+)*|-[A-Za-z])(=.*)?", Pattern.DOTALL);

    private static final Pattern WORDS = Pattern.compile("[a-z]+(-[a-z]+)*");

    /** A possible command, such as a mistyped one. */
    private static final Pattern WORD = Pattern.compile("[a-z]{1,12}");

    /** Letters in a row that are no word: a token has 43 of them. */
    private static final Pattern LONG = Pattern.compile("[^/.]{20,}");

    private static final Pattern KEY = Pattern.compile("[a-z]+([-._][a-z]+)*");
    private static final int LONGEST_KEY = 60;

    private SecretText() {}

    /**
     * A file's name. The content of a file, given instead of its name, is not shown.
     *
     * @param file a path, or the text of one
     */
    public static String file(Object file) {
        String text = String.valueOf(file);
        boolean content = text.contains(DASHES) || text.chars().anyMatch(Character::isISOControl);
        return content ? "(not shown: it looks like the content of a file, not like its name)" : text;
    }

    /** The name of a token's file that does not exist: it is not shown if it may be the token itself. */
    public static String tokenFile(Object file) {
        String text = String.valueOf(file);
        boolean name = text.indexOf('/') >= 0
                || text.indexOf('.') >= 0
                || WORDS.matcher(text).matches();
        return !name || LONG.matcher(text).find()
                ? "(its name is not shown: it may be the token itself, where a file's name is wanted)"
                : file(text);
    }

    /** An unknown key of a configuration file: a mistyped key is shown, a text that does not look like a key is not. */
    public static String key(String key) {
        return key.length() <= LONGEST_KEY && KEY.matcher(key).matches() ? key : "(not shown: it looks like no key)";
    }

    /**
     * Unmatched arguments of a command line: options are shown without their values, short words are shown, and all
     * others are counted. The value of an option that differs from a known one by a slip is left out.
     *
     * @param known the options and commands there are: one that differs by a slip is named
     */
    public static String unmatched(List<String> arguments, Collection<String> known) {
        List<String> options = new ArrayList<>();
        List<String> words = new ArrayList<>();
        int values = 0;
        boolean takesValue = false;
        for (String argument : arguments) {
            boolean value = takesValue && !argument.startsWith("-");
            takesValue = false;
            if (value) {
                values++;
            } else if (OPTION.matcher(argument).matches()) {
                String option = argument.replaceFirst("(?s)=.*", "");
                String hint = NearestWord.hint(option, known);
                options.add("'" + option + "'" + hint);
                // Behind a slip in an option its value, which is right for the option that is meant.
                takesValue = !hint.isEmpty() && option.equals(argument);
            } else if (WORD.matcher(argument).matches()) {
                words.add("'" + argument + "'" + NearestWord.hint(argument, known));
            }
        }
        int others = arguments.size() - values - options.size() - words.size();
        if (others > 0) {
            words.add(others + " not shown, since they may be parts of a secret that was given without quotes");
        }
        List<String> all = new ArrayList<>();
        if (!options.isEmpty()) {
            all.add((options.size() == 1 ? "Unknown option: " : "Unknown options: ") + String.join(", ", options));
        }
        if (!words.isEmpty()) {
            all.add((arguments.size() - values - options.size() == 1 ? "Unmatched argument: " : "Unmatched arguments: ")
                    + String.join(", ", words));
        }
        return String.join("; ", all);
    }
}

package dev.msgrelay.protocol.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Words for people about what was given where a secret may stand by mistake: a key in the place of its file's name, a token in
 * the place of an option. What may be one is not shown.
 */
public final class SecretText {
    /** PEM has them, and no file's name. */
    private static final String DASHES = "-----";

    private static final Pattern OPTION = Pattern.compile("(--[a-z]+(-[a-z]+)*|-[A-Za-z])(=.*)?", Pattern.DOTALL);

    private static final Pattern WORDS = Pattern.compile("[a-z]+(-[a-z]+)*");

    /** A command that there is not, such as a mistyped one. */
    private static final Pattern WORD = Pattern.compile("[a-z]{1,12}");

    /** Letters in a row that are no word: tokens have 43 of them. */
    private static final Pattern LONG = Pattern.compile("[^/.]{20,}");

    private static final Pattern KEY = Pattern.compile("[a-z]+([-._][a-z]+)*");
    private static final int LONGEST_KEY = 60;

    private SecretText() {}

    /**
     * A file's name. What is no name, but the content of a file that was given in its place, is not shown.
     *
     * @param file a path, or the text of one
     */
    public static String file(Object file) {
        String text = String.valueOf(file);
        boolean content = text.contains(DASHES) || text.chars().anyMatch(Character::isISOControl);
        return content ? "(not shown: what is given is no file's name, but looks like the content of a file)" : text;
    }

    /** The name of a token's file that is not there: perhaps it is the token itself, and then it is not shown. */
    public static String tokenFile(Object file) {
        String text = String.valueOf(file);
        boolean name = text.indexOf('/') >= 0
                || text.indexOf('.') >= 0
                || WORDS.matcher(text).matches();
        return !name || LONG.matcher(text).find()
                ? "(its name is not shown: it may be the token itself, where a file's name is wanted)"
                : file(text);
    }

    /** A key of a configuration file that is not known: a mistyped one is shown, and what looks like no key is not. */
    public static String key(String key) {
        return key.length() <= LONGEST_KEY && KEY.matcher(key).matches() ? key : "(not shown: it looks like no key)";
    }

    /** Arguments of a command line that belong to nothing: options are named without their values, and short words. */
    public static String unmatched(List<String> arguments) {
        List<String> options = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (String argument : arguments) {
            if (OPTION.matcher(argument).matches()) {
                options.add("'" + argument.replaceFirst("(?s)=.*", "") + "'");
            } else if (WORD.matcher(argument).matches()) {
                words.add("'" + argument + "'");
            }
        }
        int others = arguments.size() - options.size() - words.size();
        if (others > 0) {
            words.add(others + " not shown, since they may be parts of a secret that was given without quotes");
        }
        List<String> all = new ArrayList<>();
        if (!options.isEmpty()) {
            all.add((options.size() == 1 ? "Unknown option: " : "Unknown options: ") + String.join(", ", options));
        }
        if (!words.isEmpty()) {
            all.add((arguments.size() - options.size() == 1 ? "Unmatched argument: " : "Unmatched arguments: ")
                    + String.join(", ", words));
        }
        return String.join("; ", all);
    }
}

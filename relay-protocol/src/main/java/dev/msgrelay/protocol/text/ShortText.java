package dev.msgrelay.protocol.text;

import java.util.Locale;

/** Numbers in at most {@link #WIDTH} characters: three digits and a word. A unit may follow. */
public final class ShortText {
    public static final int WIDTH = 6;

    private static final String[] WORDS = {"", "k", "M", "G", "T", "P", "E"};

    private ShortText() {}

    /**
     * A short number, such as {@code 0}, {@code 999}, {@code 12.9 M}; a unit follows directly, or after a space if
     * there is no word.
     */
    public static String of(double value) {
        double rest = Math.max(0, value);
        int word = 0;
        // 999.5 would round to 1000.
        while (rest >= 999.5 && word < WORDS.length - 1) {
            rest /= 1000;
            word++;
        }
        if (word == 0) {
            return String.valueOf(Math.round(rest));
        }
        int decimals = rest < 9.995 ? 2 : rest < 99.95 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f %s", rest, WORDS[word]);
    }

    /** A short number with a unit, such as {@code 12.9 MB} or {@code 12.9 M msg/s}. */
    public static String of(double value, String unit) {
        String number = of(value);
        boolean symbol = unit.startsWith("B");
        return number + (symbol && !Character.isDigit(number.charAt(number.length() - 1)) ? "" : " ") + unit;
    }

    /** The noun behind a number: {@code message} behind 1, {@code messages} behind any other. */
    public static String plural(long number, String one) {
        if (number == 1) {
            return one;
        }
        int end = one.length() - 1;
        boolean turns = one.endsWith("y") && end > 0 && "aeiou".indexOf(one.charAt(end - 1)) < 0;
        return turns ? one.substring(0, end) + "ies" : one + "s";
    }

    /** A number with its noun: {@code 1 message}, {@code 2 messages}. */
    public static String counted(long number, String one) {
        return number + " " + plural(number, one);
    }

    /** A number of any length for people, in groups of three digits: {@code 588,895}. */
    public static String grouped(long number) {
        // Not by String.format: its comma loads a hundred classes of locales, for one line at a command's end.
        StringBuilder text = new StringBuilder().append(number);
        int first = number < 0 ? 1 : 0;
        for (int at = text.length() - 3; at > first; at -= 3) {
            text.insert(at, ',');
        }
        return text.toString();
    }

    /** A number in groups, with its noun: {@code 1 message}, {@code 100,000 messages}. */
    public static String groupedOf(long number, String one) {
        return grouped(number) + " " + plural(number, one);
    }

    /** The start of a sentence: {@code there is 1 connection}, {@code there are 2 connections}. */
    public static String there(long number, String one) {
        return (number == 1 ? "there is " : "there are ") + counted(number, one);
    }

    /** A time of up to two digits and a unit, such as {@code 59s}, {@code 3h}, {@code 400d}. */
    public static String age(long millis) {
        long seconds = millis / 1000;
        if (seconds < 100) {
            return seconds + "s";
        }
        if (seconds < 100 * 60) {
            return seconds / 60 + "m";
        }
        return seconds < 100 * 3600 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
    }

    /** A text cut to {@code width} columns of a terminal, with a mark: {@link TextWidth#cut}. */
    public static String cut(String text, int width) {
        return TextWidth.cut(text, width);
    }
}

package dev.msgrelay.testing.scripted;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The values that a case has given names: {@code ?name} takes one, {@code $name} and {@code $name+1} are filled in. */
final class Variables {
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)([+-]\\d+)?");

    private final Map<String, String> values = new HashMap<>();

    void put(String name, Object value) {
        values.put(name, String.valueOf(value));
    }

    /** The word with the values of its variables. */
    String filled(String word) {
        Matcher matcher = VARIABLE.matcher(word);
        StringBuilder out = new StringBuilder();
        while (matcher.find()) {
            String value = values.get(matcher.group(1));
            if (value == null) {
                throw new IllegalArgumentException("no variable " + matcher.group(1));
            }
            if (matcher.group(2) != null) {
                value = String.valueOf(Long.parseLong(value) + Long.parseLong(matcher.group(2)));
            }
            matcher.appendReplacement(out, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(out).toString();
    }

    /**
     * Compares a field, or takes its value.
     *
     * @param whole what the field is of, for the words of the error
     * @throws AssertionError it has another value
     */
    void match(String name, String wantedValue, String got, String whole) {
        if (wantedValue.startsWith("?")) {
            values.put(wantedValue.substring(1), got);
        } else if (!matches(wantedValue, got)) {
            throw new AssertionError(name + " is " + got + ", expected " + wantedValue + ": " + whole);
        }
    }

    /**
     * {@code *}: any; {@code a/b}: one of them; {@code 3..5}: one of these numbers; {@code size:N}: so many chars;
     * {@code ~text}: one that holds this text.
     */
    static boolean matches(String wantedValue, String got) {
        if (got == null) {
            return wantedValue.equals("-") || wantedValue.endsWith("/-");
        }
        if (wantedValue.equals("*") || wantedValue.startsWith("?") || wantedValue.equals(got)) {
            return true;
        }
        if (wantedValue.startsWith("size:")) {
            return got.length() == Integer.parseInt(wantedValue.substring(5));
        }
        if (wantedValue.startsWith("~")) {
            return got.contains(wantedValue.substring(1));
        }
        int dots = wantedValue.indexOf("..");
        try {
            if (dots > 0) {
                long number = Long.parseLong(got);
                return Long.parseLong(wantedValue.substring(0, dots)) <= number
                        && number <= Long.parseLong(wantedValue.substring(dots + 2));
            }
            for (String one : wantedValue.split("/")) {
                if (one.equals(got) || one.startsWith("0x") && FrameText.number(one) == Long.parseLong(got)) {
                    return true;
                }
            }
        } catch (NumberFormatException e) {
            return false;
        }
        return false;
    }
}

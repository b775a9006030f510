package dev.msgrelay.protocol.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Guesses the word that a mistyped one stands for: letters left out, put in, replaced, or two of them exchanged. */
public final class NearestWord {
    /** Longest word that is compared, so that a long argument costs little. */
    private static final int LONGEST = 40;

    /** Shortest word that is compared with parts of options: any two letters are near some part. */
    private static final int SHORTEST_PART = 4;

    private static final int MOST_HINTS = 2;

    private NearestWord() {}

    /** The words " (did you mean '...'?)"; empty: no known word is near. */
    public static String hint(String word, Collection<String> known) {
        String nearest = null;
        // One slip in four letters, and one in a shorter word.
        int least = Math.max(1, word.length() / 4) + 1;
        for (String candidate : known) {
            int slips = Math.max(word.length(), candidate.length()) > LONGEST ? least : slips(word, candidate);
            // A word that was cut short, such as --report for --report-every.
            boolean beginning = word.length() >= 4 && candidate.startsWith(word);
            if (slips < least || beginning && nearest == null) {
                nearest = candidate;
                least = Math.min(least, slips);
            }
        }
        return nearest == null ? hintOfParts(word, known) : " (did you mean '" + nearest + "'?)";
    }

    /** As {@link #hint}: options of which one word is near, such as --publish-port for --port. */
    private static String hintOfParts(String word, Collection<String> known) {
        String one = word.replaceFirst("^--", "");
        if (!word.startsWith("--") || one.length() < SHORTEST_PART || one.length() > LONGEST) {
            return "";
        }
        List<String> near = known.stream()
                .filter(option -> option.startsWith("--") && option.indexOf('-', 2) > 0)
                .filter(option -> Stream.of(option.substring(2).split("-"))
                        .anyMatch(part -> slips(one, part) <= Math.max(1, one.length() / 4)))
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .limit(MOST_HINTS)
                .toList();
        return near.isEmpty() ? "" : " (did you mean '" + String.join("' or '", near) + "'?)";
    }

    /** The optimal string alignment distance. */
    private static int slips(String a, String b) {
        int[][] rows = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    rows[i][j] = i + j;
                    continue;
                }
                int replaced = rows[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int least = Math.min(replaced, 1 + Math.min(rows[i - 1][j], rows[i][j - 1]));
                boolean exchanged =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                rows[i][j] = exchanged ? Math.min(least, rows[i - 2][j - 2] + 1) : least;
            }
        }
        return rows[a.length()][b.length()];
    }
}

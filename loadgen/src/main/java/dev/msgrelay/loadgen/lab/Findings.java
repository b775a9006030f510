package dev.msgrelay.loadgen.lab;

import dev.msgrelay.loadgen.lab.Finding.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Sentences computed from a table's figures. Two rows are compared round by round, because what ran in one round met the
 * same machine; the spread is that of the rounds' ratios.
 */
public final class Findings {
    private Findings() {}

    /** How two rows lie to each other, where the article claims nothing: "A is 2.1 times B (1.9 to 2.4 over 5 rounds)". */
    public static Finding compare(TableResult table, Column column, String a, String b) {
        Ratio ratio = Ratio.of(table, column, a, b);
        if (!ratio.isPresent()) {
            return undecided("", ratio);
        }
        return new Finding(
                "",
                ratio.isClear() ? Outcome.MEASURED : Outcome.NO_DIFFERENCE,
                column.name() + ": " + ratio.sentence());
    }

    /** Whether {@code better} is better than {@code worse}, as the article says. */
    public static Finding better(String claim, TableResult table, Column column, String better, String worse) {
        Ratio ratio = Ratio.of(table, column, better, worse);
        return ratio.isPresent()
                ? new Finding(claim, judge(ratio, column), column.name() + ": " + ratio.sentence())
                : undecided(claim, ratio);
    }

    /**
     * As {@link #better}, beside the factor that the article found.
     *
     * @param article how many times {@code better} was {@code worse} there; for a column where lower is better, below 1
     */
    public static Finding better(
            String claim, TableResult table, Column column, String better, String worse, double article) {
        Finding finding = better(claim, table, column, better, worse);
        if (finding.outcome() == Outcome.UNDECIDED) {
            return finding;
        }
        String found = article >= 1
                ? better + " was " + Ratio.times(article) + " times " + worse
                : worse + " was " + Ratio.times(1 / article) + " times " + better;
        return new Finding(claim, finding.outcome(), finding.sentence() + "; in the article " + found);
    }

    /** Whether two rows are the same, as the article says. */
    public static Finding same(String claim, TableResult table, Column column, String a, String b) {
        Ratio ratio = Ratio.of(table, column, a, b);
        if (!ratio.isPresent()) {
            return undecided(claim, ratio);
        }
        Outcome outcome = ratio.isClear() ? Outcome.DOES_NOT_HOLD : Outcome.HOLDS;
        // A single round tells no spread: that there is no difference cannot be known.
        boolean unknown = ratio.rounds() == 1 && outcome == Outcome.HOLDS;
        return new Finding(claim, unknown ? Outcome.UNDECIDED : outcome, column.name() + ": " + ratio.sentence());
    }

    /**
     * Whether rows come in the article's order.
     *
     * @param best the labels, the article's best first
     */
    public static Finding order(String claim, TableResult table, Column column, List<String> best) {
        List<String> against = new ArrayList<>();
        List<String> unclear = new ArrayList<>();
        for (int i = 0; i + 1 < best.size(); i++) {
            Ratio ratio = Ratio.of(table, column, best.get(i), best.get(i + 1));
            if (!ratio.isPresent()) {
                return undecided(claim, ratio);
            }
            Outcome outcome = judge(ratio, column);
            if (outcome == Outcome.DOES_NOT_HOLD) {
                against.add(ratio.sentence());
            } else if (outcome == Outcome.NO_DIFFERENCE) {
                unclear.add(ratio.sentence());
            }
        }
        String order = column.name() + ": the article's order, " + String.join(", ", best) + ",";
        if (!against.isEmpty()) {
            return new Finding(claim, Outcome.DOES_NOT_HOLD, order + " does not hold: " + String.join("; ", against));
        }
        return unclear.isEmpty()
                ? new Finding(claim, Outcome.HOLDS, order + " holds")
                : new Finding(claim, Outcome.HOLDS, order + " holds, but not clearly: " + String.join("; ", unclear));
    }

    /**
     * Whether a row stays below a bound.
     *
     * @param bound the largest value that the claim allows
     */
    public static Finding atMost(String claim, TableResult table, Column column, String row, double bound) {
        RowResult result = table.row(row);
        Figure figure = table.figure(result, column);
        if (!figure.isPresent()) {
            return new Finding(claim, Outcome.UNDECIDED, row + (result.failed() ? " FAILED" : " was not measured"));
        }
        String spread = figure.rounds() == 1
                ? "one round: no spread"
                : Numbers.text(figure.min()) + " to " + Numbers.text(figure.max()) + " over " + figure.rounds()
                        + " rounds";
        String sentence = column.heading() + ": " + row + " has " + Numbers.text(figure.median()) + " (" + spread
                + "), the claim allows " + Numbers.text(bound);
        return new Finding(claim, figure.median() <= bound ? Outcome.HOLDS : Outcome.DOES_NOT_HOLD, sentence);
    }

    private static Outcome judge(Ratio ratio, Column column) {
        if (!ratio.isClear()) {
            return Outcome.NO_DIFFERENCE;
        }
        boolean isBetter = column.better() == Column.Better.LOWER ? ratio.median() < 1 : ratio.median() > 1;
        return isBetter ? Outcome.HOLDS : Outcome.DOES_NOT_HOLD;
    }

    private static Finding undecided(String claim, Ratio ratio) {
        return new Finding(claim, Outcome.UNDECIDED, ratio.sentence());
    }
}

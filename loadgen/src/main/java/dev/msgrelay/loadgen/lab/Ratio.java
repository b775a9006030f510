package dev.msgrelay.loadgen.lab;

import java.util.Locale;

/**
 * How many times row {@code b} row {@code a} is, round by round.
 *
 * @param figure over the rounds that count and in which both have a value above 0
 * @param why why there is no ratio; empty where there is one
 */
record Ratio(String a, String b, Figure figure, String why) {
    private static final double NEAR = 10;

    /** A difference of less is none. */
    private static final double WORTH_TELLING = 1.03;

    /** The same, for a single round, whose spread nobody knows. */
    private static final double WORTH_TELLING_ALONE = 1.1;

    static Ratio of(TableResult table, Column column, String a, String b) {
        RowResult first = table.row(a);
        RowResult second = table.row(b);
        for (RowResult row : new RowResult[] {first, second}) {
            if (row.failed()) {
                return new Ratio(a, b, Figure.NONE, row.label() + " FAILED");
            }
        }
        double[] ratios = table.counted().stream()
                .mapToDouble(round -> ratio(first.value(column, round), second.value(column, round)))
                .toArray();
        Figure figure = Figure.of(ratios);
        return new Ratio(a, b, figure, figure.isPresent() ? "" : a + " and " + b + " were not both measured");
    }

    private static double ratio(double a, double b) {
        return a > 0 && b > 0 ? a / b : Double.NaN;
    }

    boolean isPresent() {
        return figure.isPresent();
    }

    int rounds() {
        return figure.rounds();
    }

    double median() {
        return figure.median();
    }

    /**
     * Whether there is a difference: one of the two was ahead in every round, and by more than nobody would notice. A single
     * round has to show more.
     */
    boolean isClear() {
        double least = figure.rounds() > 1 ? WORTH_TELLING : WORTH_TELLING_ALONE;
        return isAheadAlways() && Math.max(figure.median(), 1 / figure.median()) >= least;
    }

    private boolean isAheadAlways() {
        return figure.min() > 1 || figure.max() < 1;
    }

    /** The larger one first. */
    String sentence() {
        if (!isPresent()) {
            return why;
        }
        return isClear() ? difference() : noDifference();
    }

    private String noDifference() {
        String between = "no difference between " + a + " and " + b;
        if (rounds() == 1) {
            return between + " that one round could show (" + times(median()) + " times)";
        }
        return between + (isAheadAlways() ? " worth telling (" : ": the spreads overlap (") + times(figure.min())
                + " to " + times(figure.max()) + " times over " + rounds() + " rounds)";
    }

    private String difference() {
        Figure larger = median() >= 1 ? figure : new Figure(1 / median(), 1 / figure.max(), 1 / figure.min(), rounds());
        String first = median() >= 1 ? a : b;
        String second = median() >= 1 ? b : a;
        String spread = rounds() == 1
                ? "one round: no spread"
                : times(larger.min()) + " to " + times(larger.max()) + " over " + rounds() + " rounds";
        return first + " is " + times(larger.median()) + " times " + second + " (" + spread + ")";
    }

    /** "1.07", "2.1", "16". */
    static String times(double ratio) {
        if (ratio >= NEAR) {
            return String.format(Locale.ROOT, "%,.0f", ratio);
        }
        return String.format(Locale.ROOT, ratio < 2 ? "%.2f" : "%.1f", ratio);
    }
}

package dev.msgrelay.lab;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.lab.Verdict.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An article's claim about two rows in a column: one is better, or both are equal. Its direction (which row is better)
 * and its size (by what factor) are judged separately.
 *
 * <p>The rows are compared in each round, since the runs of one round met the same state of the machine. The result is
 * the median of the rounds' ratios, with a confidence interval of {@link #CONFIDENCE}. With {@link #MIN_ROUNDS} rounds,
 * the interval extends from the smallest ratio to the largest; with more rounds it is narrower.
 *
 * @param text the article's words
 * @param row label of the row that is said to be better, or equal
 * @param equal whether the claim is that both rows are equal, within a factor
 * @param size the claimed ratio; null: the ratio of the article's figures, if it gives them
 */
public record Claim(String text, Column column, String row, String other, boolean equal, Size size) {
    public static final int MIN_ROUNDS = 5;

    /** The confidence of the widest interval of {@link #MIN_ROUNDS} rounds. */
    static final double CONFIDENCE = 0.9375;

    /** A ratio below this does not count as a difference. */
    private static final double WORTH_TELLING = 1.03;

    /** An interval that begins below this counts as one that includes 1, since it would be printed so. */
    private static final double BEYOND_ONE = 1.01;

    /** A measured ratio agrees with the article's if they differ by at most this factor. */
    private static final double TOLERANCE = 1.2;

    /**
     * A ratio that the article states, from {@code from} to {@code to}, and the limits within which a measured ratio
     * agrees with it.
     */
    public record Size(double low, double high, double from, double to) {
        static Size times(double factor) {
            return new Size(factor / TOLERANCE, factor * TOLERANCE, factor, factor);
        }

        static Size between(double low, double high) {
            return new Size(low * (1 - 1e-9), high * (1 + 1e-9), low, high);
        }
    }

    public static Claim better(String text, Column column, String row, String other) {
        return new Claim(text, column, row, other, false, null);
    }

    public Claim times(double factor) {
        return new Claim(text, column, row, other, equal, Size.times(factor));
    }

    public Claim times(double low, double high) {
        return new Claim(text, column, row, other, equal, Size.between(low, high));
    }

    public static Claim equal(String text, Column column, String row, String other, double factor) {
        return new Claim(text, column, row, other, true, Size.between(1 / factor, factor));
    }

    public static List<Verdict> judge(List<Claim> claims, TableResult table) {
        return claims.stream().map(claim -> claim.judge(table)).toList();
    }

    public static Verdict undecided(String text, String why) {
        return new Verdict(text, "", "", Outcome.CANNOT_TELL, null, "cannot tell: " + why);
    }

    /** The factor by which the row is better, with its confidence interval. */
    private record Ratio(double value, double low, double high, int rounds) {
        static Ratio of(double... ratios) {
            int n = ratios.length;
            // The loop finds how many of the smallest and of the largest ratios may be outside of the interval.
            double tail = 0;
            double chance = Math.pow(2, -n);
            int rank = 0;
            while (1 - 2 * (tail + chance) >= CONFIDENCE) {
                tail += chance;
                chance *= (double) (n - rank) / (rank + 1);
                rank++;
            }
            int cut = Math.max(0, rank - 1);
            double[] sorted = Arrays.stream(ratios).sorted().toArray();
            return new Ratio(Figure.of(Arrays.stream(ratios)).median(), sorted[cut], sorted[n - 1 - cut], n);
        }

        Ratio inverse() {
            return new Ratio(1 / value, 1 / high, 1 / low, rounds);
        }

        boolean isAhead() {
            return low >= BEYOND_ONE && value >= WORTH_TELLING;
        }

        String range() {
            return number(low) + " to " + number(high);
        }
    }

    public Verdict judge(TableResult table) {
        List<String> failed =
                Stream.of(row, other).filter(label -> table.row(label).failed()).toList();
        if (!failed.isEmpty()) {
            return undecided(text, String.join(" and ", failed) + " FAILED");
        }
        double[] ratios = ratios(table.row(row).goes(), table.row(other).goes());
        if (ratios.length == 0) {
            return undecided(text, row + " and " + other + " were not measured");
        }
        Ratio seen = Ratio.of(ratios);
        Size claimed = size == null && !equal ? sizeInArticle(table) : size;
        boolean hasSize = claimed != null && !equal;
        boolean enough = ratios.length >= MIN_ROUNDS;
        Outcome ahead = enough ? direction(seen) : Outcome.NOT_ENOUGH_ROUNDS;
        Outcome much = !hasSize ? null : enough ? size(claimed, seen) : Outcome.NOT_ENOUGH_ROUNDS;
        String words = enough
                ? words(ahead, much, seen, claimed)
                : "not enough rounds: " + ratios.length + " of " + MIN_ROUNDS;
        String article = claimed == null ? "" : said(claimed) + " times";
        return new Verdict(text, article, here(seen), ahead, much, words);
    }

    /** Returns the factor by which the row is better, for each round in which both rows have a figure above 0. */
    private double[] ratios(List<Measurement> goes, List<Measurement> others) {
        boolean lower = column.better() == Column.Better.LOWER;
        return IntStream.range(0, Math.min(goes.size(), others.size()))
                .filter(i -> goes.get(i).value(column) > 0 && others.get(i).value(column) > 0)
                .mapToDouble(i -> goes.get(i).value(column) / others.get(i).value(column))
                .map(ratio -> lower ? 1 / ratio : ratio)
                .toArray();
    }

    /** Returns the ratio of the article's figures; null if it gives none, or if they do not support its own claim. */
    private Size sizeInArticle(TableResult table) {
        boolean lower = column.better() == Column.Better.LOWER;
        double ratio = table.table().article().ratio(column, lower ? other : row, lower ? row : other);
        return ratio >= WORTH_TELLING ? Size.times(ratio) : null;
    }

    private Outcome direction(Ratio seen) {
        if (equal) {
            return size(size, seen);
        }
        return seen.isAhead()
                ? Outcome.HOLDS
                : seen.high() <= WORTH_TELLING ? Outcome.DOES_NOT_HOLD : Outcome.CANNOT_TELL;
    }

    /**
     * Judges a size. It holds if the whole interval agrees with the article; it does not hold if neither the measured
     * ratio agrees nor the interval includes the article's ratio.
     */
    private static Outcome size(Size claimed, Ratio seen) {
        if (seen.low() >= claimed.low() && seen.high() <= claimed.high()) {
            return Outcome.HOLDS;
        }
        boolean outside = seen.value() < claimed.low() || seen.value() > claimed.high();
        boolean excluded = seen.high() < claimed.from() || seen.low() > claimed.to();
        return outside && excluded ? Outcome.DOES_NOT_HOLD : Outcome.CANNOT_TELL;
    }

    private String words(Outcome ahead, Outcome much, Ratio seen, Size claimed) {
        String direct = part(ahead, leader(seen), seen);
        return much == null || ahead == Outcome.DOES_NOT_HOLD
                ? direct
                : "direction " + direct + "; size "
                        + part(much, number(seen.value()) + " instead of " + said(claimed), seen);
    }

    private static String part(Outcome outcome, String why, Ratio seen) {
        return switch (outcome) {
            case HOLDS -> "holds";
            case DOES_NOT_HOLD -> "does not hold: " + why;
            default -> "cannot be told: " + seen.range();
        };
    }

    private String leader(Ratio seen) {
        if (equal) {
            return number(seen.value()) + " times";
        }
        return seen.isAhead() ? row + " is ahead" : seen.inverse().isAhead() ? other + " is ahead" : "no difference";
    }

    private String said(Size claimed) {
        String to = number(claimed.to());
        return equal
                ? "the same, up to " + to
                : claimed.from() == claimed.to() ? to : number(claimed.from()) + " to " + to;
    }

    private String here(Ratio seen) {
        Ratio larger = seen.value() >= 1 ? seen : seen.inverse();
        boolean rowFirst = seen.value() >= 1 == (column.better() != Column.Better.LOWER);
        return column.name() + ": " + (rowFirst ? row : other) + " is " + number(larger.value()) + " times "
                + (rowFirst ? other : row) + " (" + larger.range() + ", "
                + (seen.rounds() == 1 ? "1 round)" : seen.rounds() + " rounds)");
    }

    private static String number(double value) {
        return format(value >= 10 ? "%,.0f" : value < 2 ? "%.2f" : "%.1f", value);
    }
}

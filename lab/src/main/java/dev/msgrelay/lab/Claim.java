package dev.msgrelay.lab;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.lab.Verdict.Outcome;
import dev.msgrelay.loadgen.compare.Estimate;
import dev.msgrelay.loadgen.compare.HodgesLehmann;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.result.Spread;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * What the article says of one column: that one row is better than another, or as good; or in which range a row lies.
 * Direction and size are judged apart: who is ahead, and by how much.
 *
 * <p>Rows are compared round by round, because what ran in one round met the same machine. Values are believed to lie in
 * the {@link #CONFIDENCE} interval of their Hodges-Lehmann estimate, which is from the least to the most where there are
 * {@link #MIN_ROUNDS} rounds, and narrower where there are more.
 *
 * @param text the article's words; empty where it says nothing, and the question is open
 * @param row a label
 * @param other the label of what it is compared with; null where the row alone is meant
 * @param direction null where only a size is claimed
 * @param size null where none is stated; then that of the article's figures counts, where it has them
 */
public record Claim(String text, Column column, String row, String other, Direction direction, Size size) {
    /** The fewest rounds for a verdict. */
    public static final int MIN_ROUNDS = 5;

    /** Of the interval: the most that {@link #MIN_ROUNDS} rounds can give. */
    static final double CONFIDENCE = 0.9375;

    /** A difference of less is none. */
    private static final double WORTH_TELLING = 1.03;

    /** An interval that begins below this begins at 1, for whoever reads it. */
    private static final double BEYOND_ONE = 1.01;

    /** Times larger and smaller than the article says, and it is still that. */
    private static final double TOLERANCE = 1.2;

    private static final double NEAR = 10;
    private static final double ROUNDING = 1e-9;

    /** Who is ahead. */
    public enum Direction {
        /** The row, of the other. */
        BETTER,
        /** Neither, as far as the size allows. */
        EQUAL,
        /** Nobody claims anything: it is measured. */
        OPEN
    }

    /**
     * By how much; for a row alone, its value.
     *
     * @param low the claim's size is from here
     * @param high to here
     * @param from where the article's own figure begins, without tolerance
     * @param to where it ends
     */
    public record Size(double low, double high, double from, double to) {
        static Size times(double factor) {
            return new Size(factor / TOLERANCE, factor * TOLERANCE, factor, factor);
        }

        static Size between(double low, double high) {
            // A value that went through a logarithm and back is not quite the same.
            return new Size(low * (1 - ROUNDING), high * (1 + ROUNDING), low, high);
        }
    }

    /** The row is better than the other. */
    public static Claim better(String text, Column column, String row, String other) {
        return new Claim(text, column, row, other, Direction.BETTER, null);
    }

    /** So many times better. */
    public Claim times(double factor) {
        return new Claim(text, column, row, other, direction, Size.times(factor));
    }

    /** The rows are the same, up to this factor. */
    public static Claim equal(String text, Column column, String row, String other, double factor) {
        return new Claim(text, column, row, other, Direction.EQUAL, Size.between(1 / factor, factor));
    }

    /** The article does not say who is better. */
    public static Claim open(Column column, String row, String other) {
        return new Claim("", column, row, other, Direction.OPEN, null);
    }

    /** The row's value lies between these. */
    public static Claim within(String text, Column column, String row, double low, double high) {
        return new Claim(text, column, row, null, null, Size.between(low, high));
    }

    /** What becomes of them. */
    public static List<Verdict> judge(List<Claim> claims, TableResult table) {
        return claims.stream().map(claim -> claim.judge(table)).toList();
    }

    /**
     * A value and the interval in which it is believed to lie: how many times better the row is, or its value.
     *
     * @param rounds of which it is made; with fewer than {@link #MIN_ROUNDS}, the interval is the spread
     */
    private record Seen(double value, double low, double high, int rounds) {
        static Seen of(double... values) {
            int n = values.length;
            double[] logs = Arrays.stream(values).map(Math::log).toArray();
            Estimate known = HodgesLehmann.paired(logs, CONFIDENCE).exp();
            if (known.isKnown()) {
                return new Seen(known.value(), known.low(), known.high(), n);
            }
            Spread spread = Spread.of(Arrays.stream(values).boxed().toList(), value -> value);
            return new Seen(spread.median(), spread.min(), spread.max(), n);
        }

        Seen inverse() {
            return new Seen(1 / value, 1 / high, 1 / low, rounds);
        }
    }

    /** What becomes of it. */
    public Verdict judge(TableResult table) {
        return judge(table, false);
    }

    /**
     * What becomes of it where a higher figure is better.
     *
     * @param held whether something else than the row itself, such as a link, allows it no more: it may be better than it
     *     looks, so that too little refutes nothing
     */
    public Verdict judge(TableResult table, boolean held) {
        List<String> failed = Stream.of(row, other)
                .filter(label -> label != null && table.row(label).failed())
                .toList();
        if (!failed.isEmpty()) {
            return undecided(text, String.join(" and ", failed) + " FAILED");
        }
        double[] values = values(table);
        if (values.length == 0) {
            return undecided(text, row + (other == null ? " was" : " and " + other + " were") + " not measured");
        }
        Seen seen = Seen.of(values);
        Size claimed = size == null && direction == Direction.BETTER ? sizeInArticle(table) : size;
        String article = claimed == null ? "" : article(claimed);
        boolean onlyDirection = claimed == null || direction == Direction.EQUAL;
        if (values.length < MIN_ROUNDS) {
            Outcome missing = Outcome.NOT_ENOUGH_ROUNDS;
            String words = "not enough rounds: " + values.length + " of " + MIN_ROUNDS;
            return new Verdict(
                    text,
                    article,
                    here(seen),
                    direction == null ? null : missing,
                    onlyDirection ? null : missing,
                    words);
        }
        Outcome ahead = direction == null ? null : direction(seen);
        Outcome much = onlyDirection ? null : size(claimed, seen);
        if (held) {
            ahead = ahead == Outcome.DOES_NOT_HOLD ? Outcome.CANNOT_TELL : ahead;
            much = much == Outcome.DOES_NOT_HOLD && seen.value() < claimed.from() ? Outcome.CANNOT_TELL : much;
        }
        return new Verdict(text, article, here(seen), ahead, much, words(ahead, much, seen, claimed));
    }

    /** Of something that could not be compared. */
    public static Verdict undecided(String text, String why) {
        return new Verdict(text, "", "", Outcome.CANNOT_TELL, null, "cannot tell: " + why);
    }

    /** How many times better the row is in each round, or its values; only where there are both, above 0. */
    private double[] values(TableResult table) {
        boolean lower = other != null && column.better() == Column.Better.LOWER;
        return table.row(row).goes().stream()
                .filter(Run::counts)
                .mapToDouble(go -> {
                    double value = go.result().value(column);
                    double compared = other == null ? 1 : compared(table, go);
                    return value > 0 && compared > 0 ? lower ? compared / value : value / compared : Double.NaN;
                })
                .filter(value -> !Double.isNaN(value))
                .toArray();
    }

    /** What the other row has in the same round; NaN where it has nothing to compare with. */
    private double compared(TableResult table, Run<Measurement> with) {
        return table.row(other).goes().stream()
                .filter(go -> go.round() == with.round())
                .filter(Run::counts)
                .mapToDouble(go -> go.result().value(column))
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Null where it has no figures, or such that do not show what it says. */
    private Size sizeInArticle(TableResult table) {
        OptionalDouble ratio = column.better() == Column.Better.LOWER
                ? table.table().article().ratio(column, other, row)
                : table.table().article().ratio(column, row, other);
        return ratio.isPresent() && ratio.getAsDouble() >= WORTH_TELLING ? Size.times(ratio.getAsDouble()) : null;
    }

    private Outcome direction(Seen seen) {
        return switch (direction) {
            case EQUAL -> size(size, seen);
            case BETTER ->
                isAhead(seen)
                        ? Outcome.HOLDS
                        : seen.high() <= WORTH_TELLING ? Outcome.DOES_NOT_HOLD : Outcome.CANNOT_TELL;
            case OPEN ->
                isAhead(seen) || isAhead(seen.inverse()) || isNothing(seen) ? Outcome.MEASURED : Outcome.CANNOT_TELL;
        };
    }

    private static boolean isAhead(Seen seen) {
        return seen.low() >= BEYOND_ONE && seen.value() >= WORTH_TELLING;
    }

    private static boolean isNothing(Seen seen) {
        return seen.high() <= WORTH_TELLING && seen.low() >= 1 / WORTH_TELLING;
    }

    /** It holds where all of the interval does, and does not where neither the value nor the article's figure fits. */
    private static Outcome size(Size claimed, Seen seen) {
        if (seen.low() >= claimed.low() && seen.high() <= claimed.high()) {
            return Outcome.HOLDS;
        }
        boolean outside = seen.value() < claimed.low() || seen.value() > claimed.high();
        boolean excluded = seen.high() < claimed.from() || seen.low() > claimed.to();
        return outside && excluded ? Outcome.DOES_NOT_HOLD : Outcome.CANNOT_TELL;
    }

    private String words(Outcome ahead, Outcome much, Seen seen, Size claimed) {
        if (much == null || ahead == Outcome.DOES_NOT_HOLD) {
            return part(ahead, who(seen), seen);
        }
        String size = part(much, number(seen.value()) + " instead of " + said(claimed), seen);
        return ahead == null ? size : "direction " + part(ahead, who(seen), seen) + "; size " + size;
    }

    private String part(Outcome outcome, String why, Seen seen) {
        return switch (outcome) {
            case HOLDS -> "holds";
            case DOES_NOT_HOLD -> "does not hold: " + why;
            case MEASURED -> "measured: " + why;
            default -> "cannot be told: " + range(seen);
        };
    }

    private String who(Seen seen) {
        if (direction == Direction.EQUAL) {
            return number(seen.value()) + " times";
        }
        return isAhead(seen) ? row + " is ahead" : isAhead(seen.inverse()) ? other + " is ahead" : "no difference";
    }

    private String range(Seen seen) {
        return number(seen.low()) + " to " + number(seen.high());
    }

    private String article(Size claimed) {
        if (direction == Direction.EQUAL) {
            return "the same, up to " + number(claimed.to()) + " times";
        }
        return said(claimed) + (other != null ? " times" : column.unit().isEmpty() ? "" : " " + column.unit());
    }

    private String said(Size claimed) {
        return claimed.from() == claimed.to()
                ? number(claimed.from())
                : number(claimed.from()) + " to " + number(claimed.to());
    }

    /** The larger value first. */
    private String here(Seen seen) {
        String rounds = seen.rounds() == 1 ? "1 round)" : seen.rounds() + " rounds)";
        if (other == null) {
            return column.heading() + ": " + row + " has " + number(seen.value()) + " (" + range(seen) + ", " + rounds;
        }
        Seen larger = seen.value() >= 1 ? seen : seen.inverse();
        boolean rowFirst = seen.value() >= 1 == (column.better() != Column.Better.LOWER);
        return column.name() + ": " + (rowFirst ? row : other) + " is " + number(larger.value()) + " times "
                + (rowFirst ? other : row) + " (" + range(larger) + ", " + rounds;
    }

    /** A ratio as "1.07", "2.1", "16"; a value as in the tables. */
    private String number(double value) {
        if (other == null) {
            return Numbers.text(value);
        }
        return format(value >= NEAR ? "%,.0f" : value < 2 ? "%.2f" : "%.1f", value);
    }
}

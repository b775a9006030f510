package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.function.Function;

/**
 * The comparison of A and B by one figure.
 *
 * @param rounds number of rounds that have the figure; each contributes one ratio
 * @param ratio ratio of B to A with its 95 % interval; unknown if there are too few rounds
 * @param better the side that is faster beyond doubt, see {@link PairedComparison#DOUBT}; null if neither is
 */
public record PairedRow(Figure figure, double medianA, double medianB, int rounds, Estimate ratio, Side better) {
    /**
     * Nominal confidence of the interval. It is above 95 %, since the interval is examined after each pair. With this
     * value, 95 % of comparisons of equal sides end with an interval that contains 1.
     */
    private static final double CONFIDENCE = 0.96;

    /**
     * A real difference of half the interval's width is detected in one of two comparisons. A difference that is larger
     * by this factor is detected in four of five. The factor is (1.96 + 0.84) / 1.96, both in standard errors.
     */
    private static final double SEEN_IN_FOUR_OF_FIVE = 1.43;

    static PairedRow of(Figure figure, Pairs pairs, double doubt) {
        double[] logs = pairs.logRatios(figure);
        return new PairedRow(
                figure,
                median(figure, pairs, Pairs.Pair::a),
                median(figure, pairs, Pairs.Pair::b),
                logs.length,
                ratio(logs),
                ahead(figure, HodgesLehmann.paired(logs, 1 - doubt).exp()));
    }

    static Estimate ratio(double[] logs) {
        return HodgesLehmann.paired(logs, CONFIDENCE).exp();
    }

    private static Side ahead(Figure figure, Estimate ratio) {
        if (!ratio.isKnown() || ratio.includes(1)) {
            return null;
        }
        return ratio.value() > 1 == figure.moreIsBetter() ? Side.B : Side.A;
    }

    private static double median(Figure figure, Pairs pairs, Function<Pairs.Pair, Turn> side) {
        return Counted.median(pairs.pairs().stream()
                .filter(pair -> Double.isFinite(pair.logRatio(figure)))
                .mapToDouble(pair -> side.apply(pair).value(figure.id()))
                .toArray());
    }

    /** Returns the speed of B relative to A: the ratio, or its inverse if smaller values are better. */
    public Estimate speed() {
        return figure.moreIsBetter() ? ratio : new Estimate(1 / ratio.value(), 1 / ratio.high(), 1 / ratio.low());
    }

    public double widthPercent() {
        return widthPercent(ratio);
    }

    static double widthPercent(Estimate ratio) {
        return !ratio.isKnown() ? Double.POSITIVE_INFINITY : (ratio.high() / ratio.low() - 1) * 100;
    }

    /**
     * Returns the smallest difference that this many rounds detect in four of five comparisons; infinite without an
     * interval.
     */
    public double smallestSeenPercent() {
        return !ratio.isKnown()
                ? Double.POSITIVE_INFINITY
                : (Math.pow(ratio.high() / ratio.low(), SEEN_IN_FOUR_OF_FIVE / 2) - 1) * 100;
    }

    public String verdict() {
        if (!ratio.isKnown()) {
            return "too few rounds";
        }
        if (better != null) {
            return better + figure.ahead();
        }
        if (!ratio.includes(1)) {
            return "perhaps " + ahead(figure, ratio) + figure.ahead() + ": take more pairs";
        }
        double most = Math.max(1 - ratio.low(), ratio.high() - 1) * 100;
        return format("no difference seen beyond %.1f %%", most);
    }
}

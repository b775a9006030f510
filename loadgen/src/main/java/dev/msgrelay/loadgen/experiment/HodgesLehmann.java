package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Counted;
import java.util.Arrays;

/**
 * Estimates the centre of the differences of pairs by the method of Hodges and Lehmann. The exact confidence interval
 * is the one that belongs to Wilcoxon's signed-rank test.
 *
 * <p>J. L. Hodges, E. L. Lehmann: "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34
 * (1963). The interval is from M. Hollander, D. A. Wolfe: "Nonparametric Statistical Methods", 3.3.
 */
public final class HodgesLehmann {
    /** The smallest number of pairs for which there is an interval. */
    public static final int MIN_PAIRS = 6;

    private HodgesLehmann() {}

    /**
     * Estimates the centre of the differences: the median of the means of all pairs of differences, including each
     * difference paired with itself. Returns {@link Estimate#UNKNOWN} if there are too few differences.
     */
    public static Estimate paired(double[] differences, double confidence) {
        int rank = rank(signedRankCounts(differences.length), (1 - confidence) / 2);
        if (rank == 0) {
            return Estimate.UNKNOWN;
        }
        double[] values = walshAverages(differences);
        Arrays.sort(values);
        return new Estimate(Counted.median(values), values[rank - 1], values[values.length - rank]);
    }

    static double centre(double[] differences) {
        return Counted.median(walshAverages(differences));
    }

    private static double[] walshAverages(double[] differences) {
        int count = differences.length;
        double[] means = new double[count * (count + 1) / 2];
        int n = 0;
        for (int i = 0; i < count; i++) {
            for (int j = i; j < count; j++) {
                means[n++] = (differences[i] + differences[j]) / 2;
            }
        }
        return means;
    }

    /**
     * Returns which of the sorted means, counted from 1, is the lower end of the interval; 0 without an interval. The
     * upper end has the same rank, counted from the largest mean.
     *
     * @param tail probability that the true value lies on one given side of the interval
     */
    static int rank(double[] counts, double tail) {
        double all = Arrays.stream(counts).sum();
        double below = 0;
        int rank = 0;
        while (rank < counts.length && (below + counts[rank]) / all <= tail) {
            below += counts[rank];
            rank++;
        }
        return rank;
    }

    /** Returns in how many ways the signed-rank statistic of {@code n} differences has the value 0, 1, 2 and so on. */
    static double[] signedRankCounts(int n) {
        double[] counts = new double[n * (n + 1) / 2 + 1];
        counts[0] = 1;
        for (int rank = 1; rank <= n; rank++) {
            for (int sum = counts.length - 1; sum >= rank; sum--) {
                counts[sum] += counts[sum - rank];
            }
        }
        return counts;
    }
}

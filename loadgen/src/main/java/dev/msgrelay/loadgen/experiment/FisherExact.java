package dev.msgrelay.loadgen.experiment;

/**
 * Whether something comes more often on one side than on the other: Fisher's exact test. R. A. Fisher: "The Logic of Inductive
 * Inference", Journal of the Royal Statistical Society 98 (1935).
 */
final class FisherExact {
    /** Tables that are as likely as the one that is seen may come out a little likelier, by rounding. */
    private static final double ROUNDING = 1 + 1e-9;

    private FisherExact() {}

    /**
     * How likely it is, where both sides are alike, that they differ as much as this or more, to either side.
     *
     * @param withA of {@code runsA}, those that have one
     * @param withB of {@code runsB} likewise
     */
    static double twoSided(int withA, int runsA, int withB, int runsB) {
        int with = withA + withB;
        double seen = logTable(withA, runsA, with, runsB) + Math.log(ROUNDING);
        double all = 0;
        double asFar = 0;
        for (int a = Math.max(0, with - runsB); a <= Math.min(with, runsA); a++) {
            double log = logTable(a, runsA, with, runsB);
            all += Math.exp(log);
            asFar += log <= seen ? Math.exp(log) : 0;
        }
        return asFar / all;
    }

    /** The logarithm of in how many ways so many of A's runs have one, up to what all tables of these sums share. */
    private static double logTable(int withA, int runsA, int with, int runsB) {
        return logChoose(runsA, withA) + logChoose(runsB, with - withA) - logChoose(runsA + runsB, with);
    }

    private static double logChoose(int n, int k) {
        double log = 0;
        for (int i = 1; i <= k; i++) {
            log += Math.log(n - k + i) - Math.log(i);
        }
        return log;
    }
}

package dev.msgrelay.loadgen.compare;

import java.util.Locale;

/**
 * What became of one figure.
 *
 * @param medianA of the runs that were compared
 * @param medianB of the runs that were compared
 * @param runsA how many runs had the figure
 * @param runsB as many as of a where they are paired
 * @param ratio of b to a; null when there are too few runs for an interval
 */
public record Change(Metric metric, double medianA, double medianB, int runsA, int runsB, Estimate ratio) {
    /** What a ratio means. */
    public enum Meaning {
        BETTER,
        WORSE,
        /** 1 is within the interval: no difference was seen. */
        NOISE,
        /** Nothing can be told from so few. */
        TOO_FEW_RUNS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    public Meaning meaning() {
        if (ratio == null) {
            return Meaning.TOO_FEW_RUNS;
        }
        if (ratio.includes(1)) {
            return Meaning.NOISE;
        }
        return ratio.value() > 1 == metric.moreIsBetter() ? Meaning.BETTER : Meaning.WORSE;
    }
}

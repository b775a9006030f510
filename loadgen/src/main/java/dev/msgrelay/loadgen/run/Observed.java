package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Classifier;
import dev.msgrelay.loadgen.bound.Signals;

/**
 * What was seen of a run while it was measured.
 *
 * @param signals that were sampled
 * @param bound what the run was bound by, by these
 * @param timeline throughput over time
 */
public record Observed(Signals signals, BoundBy bound, Timeline timeline) {
    /** Judged anew, by who knows what the link could have given. */
    public Observed withLink(double in, double out) {
        Signals all = signals.withLink(in, out);
        return new Observed(all, Classifier.classify(all), timeline);
    }
}

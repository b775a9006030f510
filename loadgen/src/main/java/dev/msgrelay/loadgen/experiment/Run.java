package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import java.util.List;

/**
 * One run of a cell, whatever became of it.
 *
 * @param number from 0, of all runs of the experiment
 * @param round from 1; runs of one round were taken right after each other; 0 for one that belongs to none
 * @param started ISO 8601, with the zone
 * @param result null where it did not come to its end
 * @param outcome its failures, what the machine did meanwhile, what became of it
 */
public record Run<R>(Cell<R> cell, int number, int round, String started, R result, Outcome outcome) {
    public boolean isWhole() {
        return result != null;
    }

    /** The same with what was learned later. */
    Run<R> with(R more) {
        return new Run<>(cell, number, round, started, more, outcome);
    }

    /** Reasons that make it invalid, one line each. */
    public List<String> failures() {
        return outcome.failures();
    }

    /** Whether it may stand for its cell: whole, valid, on a machine that did nothing else. */
    public boolean counts() {
        return outcome.counts();
    }
}

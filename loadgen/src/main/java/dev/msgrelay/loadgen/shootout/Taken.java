package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.List;

/**
 * One run that was taken, or tried.
 *
 * @param round from 1; 0: before the first one
 * @param started ISO 8601, with the zone
 * @param outcome null where it did not come to its end
 * @param failures what makes it invalid, one line each; why it did not come to its end
 */
record Taken(Step step, int round, String started, Hops hops, Rig.Outcome outcome, List<String> failures) {
    Taken {
        failures = List.copyOf(failures);
    }

    boolean isWhole() {
        return outcome != null;
    }

    /** Null where it did not come to its end. */
    RunResult result() {
        return outcome == null ? null : outcome.result();
    }

    /** Deliveries a second, or 0. */
    double rate() {
        return outcome == null ? 0 : result().deliveriesPerSecond();
    }
}

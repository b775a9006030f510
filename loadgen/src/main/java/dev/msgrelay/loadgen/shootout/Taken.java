package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run that was taken, or tried.
 *
 * @param round from 1; 0: before the first one
 * @param started ISO 8601, with the zone
 * @param outcome null where it did not come to its end
 * @param faults what is wrong with it, one line each; why it did not come to its end
 * @param lateness that its schedule was not kept; what this cost is within the latency, which counts from the intended time
 */
record Taken(
        Step step,
        int round,
        String started,
        Hops hops,
        Rig.Outcome outcome,
        List<String> faults,
        List<String> lateness) {
    Taken {
        faults = List.copyOf(faults);
        lateness = List.copyOf(lateness);
    }

    /** What makes it invalid, one line each. */
    List<String> failures() {
        return Stream.concat(faults.stream(), lateness.stream()).toList();
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

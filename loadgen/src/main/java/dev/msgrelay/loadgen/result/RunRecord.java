package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Resources;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import java.time.Instant;
import java.util.List;

/**
 * One run of a cell. What the rig measured is in here as the rig has it.
 *
 * @param delays nothing recorded in a run whose messages were not checked
 */
public record RunRecord(
        Moment moment,
        Throughput throughput,
        Delays delays,
        Correctness correctness,
        Resources resources,
        Outcome outcome) {

    /**
     * When it was.
     *
     * @param round from 1; runs of the same round, of whatever cell, were taken right after each other
     * @param started ISO 8601, with the zone
     * @param warmupNanos before the measured part
     * @param measuredNanos what of the measured part there was: less than asked for where the run is partial
     */
    public record Moment(int round, String started, long warmupNanos, long measuredNanos) {
        /**
         * @throws java.time.format.DateTimeParseException {@code started} is no such time
         */
        public Moment {
            Instant.parse(started);
        }
    }

    /**
     * What is to be said of it. What the machine did may take its figures away; what the contestant did never does.
     *
     * @param failures what makes it invalid, one line each
     * @param environment what else the machine did meanwhile, so that its figures stand for nothing: one line each
     * @param observed what became of it: results
     * @param partial it did not get to its end
     */
    public record Outcome(List<String> failures, List<String> environment, List<Observed> observed, boolean partial) {
        /** Valid, nothing to say. */
        public static final Outcome PASS = new Outcome(List.of(), List.of(), List.of(), false);

        public Outcome {
            failures = List.copyOf(failures);
            environment = List.copyOf(environment);
            observed = List.copyOf(observed);
        }

        @JsonProperty
        public boolean passed() {
            return failures.isEmpty();
        }

        /** Whole and valid, whatever the machine did. */
        public boolean isValid() {
            return !partial && passed();
        }

        /** Whether its figures may stand for the cell: whole, valid, on a machine that did nothing else. */
        public boolean counts() {
            return isValid() && environment.isEmpty();
        }
    }

    /** Whole and valid, whatever the machine did. */
    boolean isValid() {
        return outcome.isValid();
    }

    /** Whether its figures may stand for the cell: see {@link Outcome#counts}. */
    public boolean counts() {
        return outcome.counts();
    }
}

package dev.msgrelay.loadgen.result;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.fasterxml.jackson.annotation.JsonProperty;
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
        Hops hops,
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

    /** The core-to-core hop right before and right after it, in nanoseconds; NaN when not measured. */
    public record Hops(double beforeNanos, double afterNanos) {
        /** Not measured. */
        public static final Hops NONE = new Hops(Double.NaN, Double.NaN);

        @JsonProperty
        public Regime regime() {
            return Regime.of(beforeNanos, afterNanos);
        }

        /** What is to be said of the cores where they were not the same, or not free: one line, or none. */
        public List<String> marks() {
            String took = format("from core to core took %,.0f ns before and %,.0f ns after", beforeNanos, afterNanos);
            return switch (regime()) {
                case CHANGED -> List.of("the cores were moved: " + took);
                case DISTURBED -> List.of("somebody else wanted the cores: " + took);
                default -> List.of();
            };
        }
    }

    /**
     * Whether it is to be believed.
     *
     * @param failures what makes it invalid, one line each
     * @param marks why its figures are not usable: "the cores were moved: ...", "schedule not kept: ..."
     * @param partial it did not get to its end
     */
    public record Outcome(List<String> failures, List<String> marks, boolean partial) {
        /** Valid, nothing to say. */
        public static final Outcome PASS = new Outcome(List.of(), List.of(), false);

        public Outcome {
            failures = List.copyOf(failures);
            marks = List.copyOf(marks);
        }

        @JsonProperty
        public boolean passed() {
            return failures.isEmpty();
        }

        /** Whether its figures may stand for the cell: whole, valid, on a machine that stayed the same. */
        public boolean counts() {
            return !partial && passed() && marks.isEmpty();
        }
    }

    /** Whole and valid, whatever the machine did. */
    boolean isValid() {
        return !outcome.partial() && outcome.passed();
    }

    /** Whether its figures may stand for the cell: whole, valid, on a machine that stayed the same. */
    public boolean counts() {
        return outcome.counts() && hops.regime().isSteady();
    }
}

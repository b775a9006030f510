package dev.msgrelay.loadgen.result;

import java.util.List;

/**
 * Whether the run is to be believed.
 *
 * @param failures what makes it invalid, one line each
 * @param marks what a reader has to know: "regime changed", "disturbed"
 * @param partial it did not get to its end
 */
public record Outcome(List<String> failures, List<String> marks, boolean partial) {
    /** Valid, nothing to say. */
    public static final Outcome PASS = new Outcome(List.of(), List.of(), false);

    public Outcome {
        failures = List.copyOf(failures);
        marks = List.copyOf(marks);
    }

    public boolean passed() {
        return failures.isEmpty();
    }
}

package dev.msgrelay.loadgen.experiment;

import java.util.List;

/**
 * What a run that came to its end gave.
 *
 * @param failures what makes it invalid, one line each
 * @param marks what a reader has to know of it: "the hosts' clocks went apart by 300 us"; mostly empty
 */
public record Measured<R>(R result, List<String> failures, List<String> marks) {
    public Measured {
        failures = List.copyOf(failures);
        marks = List.copyOf(marks);
    }
}

package dev.msgrelay.loadgen.result;

import java.time.Instant;

/**
 * When a run was.
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

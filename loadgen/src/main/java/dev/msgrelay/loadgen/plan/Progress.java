package dev.msgrelay.loadgen.plan;

import java.util.List;

/**
 * A worker's report, about once a second.
 *
 * @param counts counts since the last report, by time; at least one
 * @param standstill stand-still of the process within the window so far
 * @param last whether this is the last report
 */
public record Progress(List<Count> counts, Still standstill, boolean last) {
    /**
     * All that a worker has done up to a moment.
     *
     * @param nanos by {@link System#nanoTime}
     * @param bytes on the wire
     */
    public record Count(long nanos, long messages, long bytes) {}
}

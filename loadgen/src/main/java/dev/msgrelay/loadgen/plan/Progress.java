package dev.msgrelay.loadgen.plan;

import java.util.List;

/**
 * A report of a worker process, sent about once a second.
 *
 * @param counts all counts since the last report, sorted by time; never empty
 */
public record Progress(List<Count> counts, Still standstill, boolean last) {
    /** The number of messages and bytes that a worker has sent or received up to a moment. */
    public record Count(long nanos, long messages, long bytes) {}
}

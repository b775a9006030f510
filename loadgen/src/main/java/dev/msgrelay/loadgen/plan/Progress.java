package dev.msgrelay.loadgen.plan;

import java.util.List;

/**
 * A worker's word about once a second.
 *
 * @param counts since its last word, by time; at least one
 * @param standstill of its process within the window so far
 * @param last nothing will change any more
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

package dev.msgrelay.server.ops;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The figures of a relay so far: every {@link Counter} with its value, and the closed connections by reason. */
public final class RelayStats {
    /**
     * Times of the journal's forces to the disk, as a histogram.
     *
     * @param bounds upper bounds in seconds, each above the one before
     * @param upTo number of forces between the bound before and each bound; the last entry: those above all bounds
     * @param nanos time of all forces together
     */
    public record Forces(List<Double> bounds, List<Long> upTo, long nanos) {
        /** Number of forces. */
        public long count() {
            return upTo.stream().mapToLong(Long::longValue).sum();
        }
    }

    private final Map<Counter, Long> values;
    private final Map<CloseReason, Long> closes;
    private final List<CloseLog.Ended> ended;
    private final Map<Part, Long> memory;
    private final Forces forces;

    public RelayStats(
            Map<Counter, Long> values,
            Map<CloseReason, Long> closes,
            List<CloseLog.Ended> ended,
            Map<Part, Long> memory,
            Forces forces) {
        this.values = new EnumMap<>(values);
        this.closes = closes;
        this.ended = ended;
        this.memory = memory;
        this.forces = forces;
    }

    /** The value of a counter; 0: the relay does not have it. */
    public long get(Counter counter) {
        return values.getOrDefault(counter, 0L);
    }

    /** Whether the relay has this counter: without a journal it has no counter of a journal. */
    public boolean has(Counter counter) {
        return values.containsKey(counter);
    }

    /** Times of the journal's forces; null: there is no journal. */
    public Forces forces() {
        return forces;
    }

    /** Closed connections by reason; only reasons that have occurred. */
    public Map<CloseReason, Long> closes() {
        return closes;
    }

    /** The last few closed connections of each reason, the newest first. */
    public List<CloseLog.Ended> ended() {
        return ended;
    }

    /** Bytes taken or reserved in each part of the memory; the limits are in the memory plan. */
    public Map<Part, Long> memory() {
        return memory;
    }

    /** Messages in the stream. */
    public long messagesIn() {
        return get(Counter.MESSAGES_IN);
    }

    /** Messages handed to subscribers' sockets, summed over the subscribers. */
    public long messagesOut() {
        return get(Counter.MESSAGES_OUT);
    }

    /** Publishers connected. */
    public int publishers() {
        return (int) get(Counter.PUBLISHERS);
    }

    /** Subscribers connected. */
    public int subscribers() {
        return (int) get(Counter.SUBSCRIBERS);
    }

    @Override
    public String toString() {
        return values + ", closes " + closes;
    }
}

package dev.msgrelay.server.ops;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.flow.TimeHistogram;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The figures of a relay so far: every {@link Counter} with its value, and the closed connections by reason. */
public final class RelayStats {
    private final Map<Counter, Long> values;
    private final Map<CloseReason, Long> closes;
    private final List<CloseLog.Ended> ended;
    private final Map<Part, Long> memory;
    private final TimeHistogram.Times forces;
    private final TimeHistogram.Times acknowledgements;
    private final TimeHistogram.Times transits;

    public RelayStats(
            Map<Counter, Long> values,
            Map<CloseReason, Long> closes,
            List<CloseLog.Ended> ended,
            Map<Part, Long> memory,
            TimeHistogram.Times forces,
            TimeHistogram.Times acknowledgements,
            TimeHistogram.Times transits) {
        this.values = new EnumMap<>(values);
        this.closes = closes;
        this.ended = ended;
        this.memory = memory;
        this.forces = forces;
        this.acknowledgements = acknowledgements;
        this.transits = transits;
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
    public TimeHistogram.Times forces() {
        return forces;
    }

    /**
     * Times from the first message of a batch that has to be acknowledged, until the batch is in the stream, subscribers
     * of the core's loop have been handed it, and its publishers are told; once a batch.
     */
    public TimeHistogram.Times acknowledgements() {
        return acknowledgements;
    }

    /**
     * Times from the first message of a batch that the core takes, until subscribers of the core's loop have been handed
     * the batch, as far as their sockets took it; once a batch.
     */
    public TimeHistogram.Times transits() {
        return transits;
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

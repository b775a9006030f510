package dev.msgrelay.server;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.ops.CloseLog;
import dev.msgrelay.server.ops.Counter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a relay has done so far, and where it stands now: every {@link Counter} with its value, and the closed connections by
 * reason.
 */
public final class RelayStats {
    private final Map<Counter, Long> values;
    private final Map<CloseReason, Long> closes;
    private final List<CloseLog.Ended> ended;
    private final Map<Part, Long> memory;

    RelayStats(
            Map<Counter, Long> values,
            Map<CloseReason, Long> closes,
            List<CloseLog.Ended> ended,
            Map<Part, Long> memory) {
        this.values = new EnumMap<>(values);
        this.closes = closes;
        this.ended = ended;
        this.memory = memory;
    }

    public long get(Counter counter) {
        return values.get(counter);
    }

    /** Closed connections by reason; only reasons that have occurred. */
    public Map<CloseReason, Long> closes() {
        return closes;
    }

    /** The last few closed connections of each reason, the newest first. */
    public List<CloseLog.Ended> ended() {
        return ended;
    }

    /** Bytes taken or reserved of each part of the memory; {@link MemoryPlan} has the limits. */
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

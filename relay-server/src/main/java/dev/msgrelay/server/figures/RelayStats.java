package dev.msgrelay.server.figures;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The figures of a relay so far.
 *
 * @param values values of the counters; a relay without a journal has no counters of a journal
 * @param closes closed connections by reason; only reasons that have occurred
 * @param ended the last few closed connections for each reason, the newest first
 * @param memory bytes taken or reserved in each part of the memory; the limits are in the memory plan
 * @param forces durations of the journal's forces; empty: there is no journal
 * @param acknowledgements for each batch, the time from its first message that asks for an ACK until the core's loop
 *     has written the batch to subscribers and the ACKs to publishers
 * @param transits for each batch, the time from its first message until the core's loop has written the batch to all
 *     sockets of its subscribers that had room
 */
public record RelayStats(
        Map<Counter, Long> values,
        Map<CloseReason, Long> closes,
        List<CloseLog.Ended> ended,
        Map<Part, Long> memory,
        Optional<TimeHistogram.Times> forces,
        TimeHistogram.Times acknowledgements,
        TimeHistogram.Times transits) {
    public RelayStats {
        values = Collections.unmodifiableMap(values);
    }

    /** The value of a counter; 0 if the relay does not have it. */
    public long get(Counter counter) {
        return values.getOrDefault(counter, 0L);
    }

    public boolean has(Counter counter) {
        return values.containsKey(counter);
    }

    public int publishers() {
        return (int) get(Counter.PUBLISHERS);
    }

    public int subscribers() {
        return (int) get(Counter.SUBSCRIBERS);
    }
}

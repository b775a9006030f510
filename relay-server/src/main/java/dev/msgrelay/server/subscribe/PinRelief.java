package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.connection.ConnectionTable;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.PacketLog;
import java.util.stream.Stream;

/**
 * Frees the log's memory when slow subscribers pin too much of it. Cuts off subscribers that pin the oldest chunk, then
 * those that pin the next one, until the log's writer has enough memory. A subscriber that keeps up is not cut off, as
 * it pins no chunk that the log has dropped. On the core's thread.
 */
public final class PinRelief {
    private final PacketLog log;
    private final ConnectionTable table;
    private final Counters counters;
    private final long pinBytes;
    private long cutUpTo = -1;

    /** @param pinBytes the limit of pinned memory, for the text that is sent to the client */
    public PinRelief(PacketLog log, ConnectionTable table, Counters counters, long pinBytes) {
        this.log = log;
        this.table = table;
        this.counters = counters;
        this.pinBytes = pinBytes;
    }

    /** Cuts off subscribers that pin the oldest chunk. They release it now or, on other threads, soon. */
    public void relieve() {
        long oldest =
                pinning().mapToLong(SubscriberConnection::pinnedFrom).min().orElse(LogReader.NOTHING);
        if (oldest >= log.tail() || oldest == cutUpTo) {
            // Either subscribers that were cut off still pin the chunk, or none pins memory that the log has dropped.
            cutUpTo = -1;
            return;
        }
        cutUpTo = oldest;
        pinning().filter(s -> s.pinnedFrom() == oldest).forEach(s -> cutOff(s, oldest));
    }

    /** Returns all subscribers. Even ended ones pin memory until the reason for the end is sent to them. */
    private Stream<SubscriberConnection> pinning() {
        return table.present().stream()
                .map(Session::role)
                .filter(SubscriberConnection.class::isInstance)
                .map(SubscriberConnection.class::cast);
    }

    private void cutOff(SubscriberConnection subscriber, long oldest) {
        Session session = subscriber.session();
        Runnable end = () -> {
            // Meanwhile the subscriber may have moved on, or may have been cut off by an earlier task.
            if (subscriber.pinnedFrom() == oldest) {
                counters.increment(Counter.PINS_EVICTED);
                session.cutOff(
                        CloseReason.MEMORY_LIMIT,
                        "slow subscribers hold more than " + pinBytes + " bytes of the log, and this one lags most");
            }
        };
        if (session.isHere()) {
            session.walled(end);
        } else {
            session.execute(end);
        }
    }
}

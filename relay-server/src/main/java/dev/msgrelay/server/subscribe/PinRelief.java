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
 * Frees the log's memory when slow subscribers pin too much of it: cuts off subscribers that pin the oldest chunk, then
 * those of the next, until the log's writer has enough. A subscriber that keeps up pins no chunk that the log has
 * dropped, so it stays. On the core's thread.
 */
public final class PinRelief {
    private final PacketLog log;
    private final ConnectionTable table;
    private final Counters counters;
    private final long pinBytes;
    private long cutUpTo = -1;

    /** @param pinBytes the limit, for the text that the client is sent */
    public PinRelief(PacketLog log, ConnectionTable table, Counters counters, long pinBytes) {
        this.log = log;
        this.table = table;
        this.counters = counters;
        this.pinBytes = pinBytes;
    }

    /** Cuts off subscribers that pin the oldest chunk; they release it now, or soon on threads of their own. */
    public void relieve() {
        long oldest =
                pinning().mapToLong(SubscriberConnection::pinnedFrom).min().orElse(LogReader.NOTHING);
        if (oldest >= log.tail() || oldest == cutUpTo) {
            // Subscribers that were cut off have not released it yet, or none pins memory that the log has dropped.
            cutUpTo = -1;
            return;
        }
        cutUpTo = oldest;
        pinning().filter(s -> s.pinnedFrom() == oldest).forEach(s -> cutOff(s, oldest));
    }

    /** Returns all subscribers, including those that end: these pin memory until they are told why. */
    private Stream<SubscriberConnection> pinning() {
        return table.present().stream()
                .map(Session::role)
                .filter(SubscriberConnection.class::isInstance)
                .map(SubscriberConnection.class::cast);
    }

    private void cutOff(SubscriberConnection subscriber, long oldest) {
        Session session = subscriber.session();
        Runnable end = () -> {
            // False if the subscriber has moved on in time, or was cut off by an earlier task.
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

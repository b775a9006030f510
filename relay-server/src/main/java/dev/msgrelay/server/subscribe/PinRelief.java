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
 * Frees the log's memory where slow subscribers hold more of it than they may: subscribers that hold the oldest piece are cut
 * off, then those that hold the next one, until the log's writer has the memory that it needs. A subscriber that keeps up holds no
 * piece that the log has dropped, so nobody else is concerned.
 *
 * <p>On the core's thread.
 */
public final class PinRelief {
    private final PacketLog log;
    private final ConnectionTable table;
    private final Counters counters;
    private final long pinBytes;
    private long cutUpTo = -1;

    /** @param pinBytes how much slow subscribers may hold, for the text */
    public PinRelief(PacketLog log, ConnectionTable table, Counters counters, long pinBytes) {
        this.log = log;
        this.table = table;
        this.counters = counters;
        this.pinBytes = pinBytes;
    }

    /** Cuts off subscribers that hold the oldest piece; they let go of it now, or soon on threads of their own. */
    public void relieve() {
        long oldest =
                holders().mapToLong(SubscriberConnection::pinnedFrom).min().orElse(LogReader.NOTHING);
        if (oldest >= log.tail() || oldest == cutUpTo) {
            // Subscribers that were cut off have not let go yet, or nobody holds what the log has dropped.
            cutUpTo = -1;
            return;
        }
        cutUpTo = oldest;
        holders().filter(s -> s.pinnedFrom() == oldest).forEach(s -> cutOff(s, oldest));
    }

    /** Subscribers that are present, not live ones only: until one that has ended is told why, it holds what it has. */
    private Stream<SubscriberConnection> holders() {
        return table.present().stream()
                .map(Session::role)
                .filter(SubscriberConnection.class::isInstance)
                .map(SubscriberConnection.class::cast);
    }

    private void cutOff(SubscriberConnection subscriber, long oldest) {
        Session session = subscriber.session();
        Runnable end = () -> {
            // Otherwise the subscriber was cut off by an earlier task, or has moved on in time.
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

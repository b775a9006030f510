package dev.msgrelay.server.session;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.net.PeerName;
import dev.msgrelay.server.ops.ConnectionRow;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Who is connected, one row each. Any thread. */
public final class ConnectionTable {
    /** The age of one connection, and its messages a second, for reports. One caller at a time. */
    private static final class RateMeter {
        /** A rate is over at least this, however many ask and however often: a second, less what timers are early. */
        private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

        private final long openedNanos;
        private long sinceMessages;
        private long sinceNanos;
        private double rate;

        RateMeter(long nowNanos) {
            openedNanos = nowNanos;
            sinceNanos = nowNanos;
        }

        long ageMillis(long nowNanos) {
            return TimeUnit.NANOSECONDS.toMillis(nowNanos - openedNanos);
        }

        /** Returns the rate over the time since the last look that is long enough ago. */
        double look(long messages, long nowNanos) {
            if (nowNanos - sinceNanos >= LEAST_NANOS) {
                rate = Math.max(0, (messages - sinceMessages) / ((nowNanos - sinceNanos) / 1e9));
                sinceMessages = messages;
                sinceNanos = nowNanos;
            }
            return rate;
        }
    }

    // The rates are those of reports.
    private final Map<Session, RateMeter> live = new ConcurrentHashMap<>();
    // The live ones, and those whose channels are not closed yet, or whose memory is not given back.
    private final Set<Session> present = ConcurrentHashMap.newKeySet();
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean draining;

    long nextId() {
        return ids.incrementAndGet();
    }

    void opened(Session session, long nowNanos) {
        present.add(session);
        live.put(session, new RateMeter(nowNanos));
    }

    /** Its end has been counted. */
    void closed(Session session) {
        live.remove(session);
    }

    /** Its channel is closed, and its memory given back. */
    void gone(Session session) {
        closed(session);
        present.remove(session);
    }

    /** Starts draining: connections that open later are closed. */
    public void drain() {
        draining = true;
    }

    public boolean draining() {
        return draining;
    }

    /** Whether nobody is connected any more, down to the last channel. */
    public boolean allGone() {
        return present.isEmpty();
    }

    public long count(Role role) {
        return live.keySet().stream().filter(s -> s.kind() == role).count();
    }

    /** Returns the connections whose end has not come. */
    public Set<Session> live() {
        return live.keySet();
    }

    /** Returns the connections whose channels are not closed yet: they may hold memory, whether their end has come or not. */
    public Set<Session> present() {
        return present;
    }

    /** One row each, in the order in which they came. One caller at a time. */
    public synchronized List<ConnectionRow> rows(long headPosition, long nowNanos) {
        return live.entrySet().stream()
                .map(c -> row(c.getKey(), c.getValue(), headPosition, nowNanos))
                .sorted(Comparator.comparingLong(ConnectionRow::id))
                .toList();
    }

    private static ConnectionRow row(Session session, RateMeter rate, long headPosition, long nowNanos) {
        SessionRole.Report own = session.role().report(headPosition);
        return new ConnectionRow(
                session.id(),
                session.name(),
                session.standing().name(),
                PeerName.of(session.channel()),
                session.kind() == Role.PUBLISHER,
                session.state().name().toLowerCase(Locale.ROOT),
                own.waitsFor(),
                own.policy(),
                own.types(),
                own.cursor(),
                own.lagBytes(),
                own.lagMessages(),
                own.replayPercent(),
                own.replayLeftMillis(),
                own.messages(),
                own.bytes(),
                rate.look(own.messages(), nowNanos),
                rate.ageMillis(nowNanos));
    }
}

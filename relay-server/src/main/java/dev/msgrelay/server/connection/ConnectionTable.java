package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.net.AcceptedSocket;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The connections of a relay. Any thread. */
public final class ConnectionTable {
    private final Set<Session> live = ConcurrentHashMap.newKeySet();
    // Live connections, and ended ones whose channel is not closed or whose memory is not given back yet.
    private final Set<Session> present = ConcurrentHashMap.newKeySet();
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean draining;

    long nextId() {
        return ids.incrementAndGet();
    }

    void add(Session session) {
        present.add(session);
        live.add(session);
    }

    /** Removes a connection from the live ones, after its end has been counted. */
    void removeLive(Session session) {
        live.remove(session);
    }

    /** Removes a connection whose channel is closed and whose memory is given back. */
    void remove(Session session) {
        removeLive(session);
        present.remove(session);
    }

    /** Starts to drain the relay. From now on, a connection is closed as soon as it has opened. */
    public void drain() {
        draining = true;
    }

    public boolean draining() {
        return draining;
    }

    public boolean allGone() {
        return present.isEmpty();
    }

    public long count(Role role) {
        return live.stream().filter(s -> s.kind() == role).count();
    }

    /** Returns the connections that have not ended. */
    public Set<Session> live() {
        return live;
    }

    /** Returns the live connections, and ended ones that may still pin memory. */
    public Set<Session> present() {
        return present;
    }

    /** Returns a row for each live connection, sorted by id. */
    public synchronized List<ConnectionRow> rows(long headPosition, long nowNanos) {
        return live.stream()
                .map(c -> row(c, headPosition, nowNanos))
                .sorted(Comparator.comparingLong(ConnectionRow::id))
                .toList();
    }

    private static ConnectionRow row(Session session, long headPosition, long nowNanos) {
        SessionRole.Report own = session.role().report(headPosition);
        return new ConnectionRow(
                session.id(),
                session.name(),
                session.rights().name(),
                AcceptedSocket.peerName(session.channel()),
                session.kind() == Role.PUBLISHER,
                session.state().name().toLowerCase(Locale.ROOT),
                own.waitsFor(),
                own.policy(),
                own.intervalMillis(),
                own.types(),
                own.cursor(),
                own.lagBytes(),
                own.lagMessages(),
                own.replayPercent(),
                own.replayLeftMillis(),
                own.messages(),
                own.bytes(),
                own.conflated(),
                session.rate(own.messages(), nowNanos),
                session.ageMillis(nowNanos));
    }
}

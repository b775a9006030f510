package dev.msgrelay.server.session;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.ops.ConnectionRow;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Who is connected, one row each. Any thread. */
public final class ConnectionTable {
    private final Set<Session> live = ConcurrentHashMap.newKeySet();
    private final AtomicInteger publishers = new AtomicInteger();
    private final AtomicInteger subscribers = new AtomicInteger();
    // The live ones, and those that are still told why they end: their channels are not closed yet, or their memory is
    // not given back.
    private final Set<Session> present = ConcurrentHashMap.newKeySet();
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean draining;

    long nextId() {
        return ids.incrementAndGet();
    }

    void opened(Session session) {
        present.add(session);
        live.add(session);
        count(session.kind()).incrementAndGet();
    }

    /** Its end has been counted. */
    void closed(Session session) {
        if (live.remove(session)) {
            count(session.kind()).decrementAndGet();
        }
    }

    /** Its channel is closed, and its memory given back. */
    void gone(Session session) {
        closed(session);
        present.remove(session);
    }

    private AtomicInteger count(Role role) {
        return role == Role.PUBLISHER ? publishers : subscribers;
    }

    /** Starts draining: connections that open later are closed. */
    public void drain() {
        draining = true;
    }

    /** Whether the relay has begun to end. */
    public boolean draining() {
        return draining;
    }

    /** Whether nobody is connected any more, down to the last channel. */
    public boolean allGone() {
        return present.isEmpty();
    }

    public int publishers() {
        return publishers.get();
    }

    public int subscribers() {
        return subscribers.get();
    }

    /** Returns the connections whose end has not come. */
    public Set<Session> live() {
        return live;
    }

    /** Returns the connections whose channels are not closed yet: they may hold memory, whether their end has come or not. */
    public Set<Session> present() {
        return present;
    }

    /** One row each, in the order in which they came. One caller at a time. */
    public synchronized List<ConnectionRow> rows(long headPosition, long nowNanos) {
        return live.stream()
                .map(c -> c.row(headPosition, nowNanos))
                .sorted(Comparator.comparingLong(ConnectionRow::id))
                .toList();
    }
}

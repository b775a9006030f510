package dev.msgrelay.server.session;

import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.loop.RelayLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The subscribers of one event loop. Sends go round: each subscriber is handed the same few segments before anyone is
 * handed the next, so that the bytes are read from memory once and sent to all while they are in the core's own cache.
 *
 * <p>Owned by the loop's thread; {@link #signal} may be called by any.
 */
public final class SubscriberGroup {
    /** About this many bytes a write: more gains nothing, and keeps the others waiting. */
    public static final int WRITE_BYTES = 256 << 10;

    /** With several subscribers, about this many: what all of them are handed must stay in the cache. */
    static final int SHARED_WRITE_BYTES = 128 << 10;

    private final PacketLog log;
    private final RelayLoop loop;
    private final List<SubscriberSession> sessions = new ArrayList<>();
    private final Mark head = new Mark();
    private long lastHead;
    private volatile boolean any;
    // Where its subscribers are to move; null: they stay.
    private Supplier<SubscriberGroup> destination;

    /**
     * @param loop whose subscribers these are
     */
    public SubscriberGroup(PacketLog log, RelayLoop loop) {
        this.log = log;
        this.loop = loop;
    }

    /** The loop whose subscribers these are. */
    public RelayLoop loop() {
        return loop;
    }

    void add(SubscriberSession session) {
        sessions.add(session);
        // Before its first look at the head: a writer that does not see this moved the head before.
        any = true;
    }

    void remove(SubscriberSession session) {
        sessions.remove(session);
        any = !sessions.isEmpty();
    }

    /** Wakes the loop if it sleeps and has someone to send to. Any thread, after the head has moved and a full fence. */
    void signal() {
        if (any) {
            loop.signal();
        }
    }

    /**
     * Its subscribers move to other groups from now on, each as soon as no write of it is in flight.
     *
     * @param where asked for each of them; null: they stay
     */
    void leaveFor(Supplier<SubscriberGroup> where) {
        destination = where;
        moveOut();
    }

    private void moveOut() {
        if (destination == null) {
            return;
        }
        for (int i = sessions.size() - 1; i >= 0; i--) {
            SubscriberSession session = sessions.get(i);
            if (session.canMove()) {
                session.moveTo(destination.get());
            }
        }
    }

    /**
     * Sends what there is to every subscriber whose last write is done.
     *
     * @param everything also what does not fill a whole segment; false while more is known to come
     */
    public void pump(boolean everything) {
        moveOut();
        log.head().read(head);
        lastHead = head.position();
        int stride = sessions.size() > 1 ? SHARED_WRITE_BYTES : WRITE_BYTES;
        int least = sessions.size() > 1 ? stride : 1;
        boolean again = !sessions.isEmpty();
        while (again) {
            again = false;
            // By index, and from the end: a session that fails leaves the list on the way.
            for (int i = sessions.size() - 1; i >= 0; i--) {
                again |= sessions.get(i).send(head, stride, least, everything);
            }
        }
    }

    /** Whether the head has moved since the last pump. */
    public boolean pending() {
        return !sessions.isEmpty() && log.head().position() != lastHead;
    }

    /** Has the loop {@link #tick}, if there is anyone: a loop without subscribers sleeps on. Any thread. */
    void tickThere() {
        if (any) {
            loop.io().execute(() -> tick(System.nanoTime()));
        }
    }

    /** Called a few times a second: looks for subscribers that stand still or are silent for too long, or want a PING. */
    void tick(long nowNanos) {
        for (int i = sessions.size() - 1; i >= 0; i--) {
            sessions.get(i).tick(nowNanos);
        }
    }
}

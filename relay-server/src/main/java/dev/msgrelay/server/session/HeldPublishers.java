package dev.msgrelay.server.session;

import dev.msgrelay.server.ring.FrameRing;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Publishers whose sockets are not read because the ring had no room for what they sent. They go on when half of the ring
 * is free: at the first free cell, the two sides would take turns at waking each other.
 *
 * <p>Sessions add themselves on their own loops; the ring's loop looks after each batch.
 */
public final class HeldPublishers {
    private final FrameRing ring;
    private final BackpressureGate gate;
    private final ConcurrentLinkedQueue<PublisherSession> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean any = new AtomicBoolean();
    private final HeldTime time = new HeldTime();

    public HeldPublishers(FrameRing ring, BackpressureGate gate) {
        this.ring = ring;
        this.gate = gate;
    }

    void add(PublisherSession session) {
        waiting.add(session);
        begin();
        // The ring may have been drained in between, and nobody would look again. Where subscribers hold the log back,
        // its writer looks once they have moved on.
        if (!gate.blocked()) {
            resumeIfRoom();
        }
    }

    /** That someone waits, and since when, is one state: another loop may end the hold before in the same moment. */
    private void begin() {
        synchronized (time) {
            any.set(true);
            time.begin(System.nanoTime());
        }
    }

    private boolean end() {
        synchronized (time) {
            boolean ended = any.compareAndSet(true, false);
            if (ended) {
                time.end(System.nanoTime());
            }
            return ended;
        }
    }

    /** Whether anyone waits. */
    boolean any() {
        return any.get();
    }

    /** How long there was a publisher that was not read, since the start. Any thread. */
    public long nanos(long now) {
        return time.nanos(now);
    }

    /** Lets everyone go on if half of the ring is free. */
    void resumeIfRoom() {
        if (any.get() && ring.remainingCells() >= ring.cells() / 2 && end()) {
            for (PublisherSession s = waiting.poll(); s != null; s = waiting.poll()) {
                s.scheduleResume();
            }
        }
    }
}

package dev.msgrelay.server.flow;

import dev.msgrelay.server.log.WriteGate;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * A gate that lets the log run ahead of the slowest of its limits by a window, no further. A limit is a position that somebody
 * has reached: a {@code backpressure} subscriber, or the journal. Publishers' sockets are then no longer read, and local
 * publishers fill the ring: that is the back pressure.
 *
 * <p>The window is smaller than the log: bytes that wait longer than they must have left the cache when they are sent.
 *
 * <p>{@link #tryPass} is called by the log's writer; limits come, move and go on any thread.
 */
public final class WindowGate implements WriteGate {
    /** A position that the log may not run too far ahead of. */
    public interface Limit {
        /** Returns the position before which everything has been dealt with. Any thread. */
        long position();

        /** Returns what adds up how long the limit kept the log from growing; null: all limits without one share one. */
        default HeldTime heldBack() {
            return null;
        }
    }

    /** The thread that writes the log. */
    public interface Writer {
        /** Wakes the writer if it sleeps. Any thread, after everything that the writer shall see has been made visible. */
        void signal();

        /** Returns when the writer is not within an append that it began before. At once on its own thread. */
        void awaitBetweenSteps();
    }

    private final long window;
    private final Writer writer;
    private final LongSupplier clock;

    private volatile Limit[] limits = {};
    private volatile boolean blocked;
    private volatile long blockedSinceNanos;
    private volatile long refused;
    private final HeldTime time = new HeldTime();

    // Owned by the writer.
    private Limit[] seen = limits;
    private long farthest = Long.MAX_VALUE;
    // The time of the slowest limit, while publishers are held back.
    private volatile HeldTime counted = time;

    /**
     * @param window bytes that the log may run ahead, give or take one run
     * @param writer is signalled when a limit has made room
     * @param clock in nanoseconds
     */
    public WindowGate(long window, Writer writer, LongSupplier clock) {
        this.window = window;
        this.clock = clock;
        this.writer = writer;
    }

    @Override
    public boolean tryPass(long position) {
        if (position <= farthest && seen == limits) {
            return true;
        }
        if (position > lookUp()) {
            block(position);
            // Once more after the flag is up: a limit that moved on before it did not signal.
            if (position > lookUp()) {
                return false;
            }
        }
        unblock();
        return true;
    }

    private long lookUp() {
        seen = limits;
        farthest = slowest(seen) + window;
        return farthest;
    }

    private void block(long position) {
        refused = position;
        if (!blocked) {
            blockedSinceNanos = clock.getAsLong();
            counted = timeOfSlowest();
            counted.begin(blockedSinceNanos);
            blocked = true;
        }
    }

    /**
     * Charges the hold to the limit that is the slowest by now. Called by the writer, now and then.
     *
     * @param anyWaits whether anybody wants the log to grow; otherwise nobody is held back, and no slow reader is to blame
     */
    public void settle(boolean anyWaits) {
        if (!anyWaits) {
            unblock();
        }
        if (!blocked) {
            return;
        }
        HeldTime now = timeOfSlowest();
        if (counted != now) {
            blockedSinceNanos = clock.getAsLong();
            counted.end(blockedSinceNanos);
            counted = now;
            counted.begin(blockedSinceNanos);
        }
    }

    private HeldTime timeOfSlowest() {
        long least = Long.MAX_VALUE;
        HeldTime found = time;
        for (Limit limit : limits) {
            long position = limit.position();
            if (position < least) {
                least = position;
                found = limit.heldBack() == null ? time : limit.heldBack();
            }
        }
        return found;
    }

    private void unblock() {
        if (blocked) {
            blocked = false;
            counted.end(clock.getAsLong());
        }
    }

    /** Returns whether publishers are being held back at present. */
    public boolean blocked() {
        return blocked;
    }

    /** Returns whether the writer shall not try again yet; it asks before it sleeps. */
    public boolean stillRefuses() {
        return blocked && !halfOpen(refused);
    }

    /** Returns whether half of the window is free, so that sources may go on. A little room would soon be gone again. */
    public boolean halfOpen(long position) {
        return position <= slowest(limits) + window - window / 2;
    }

    /** Returns whether a limit without a time of its own, a reader, holds publishers back. Any thread. */
    public boolean blockedByReaders() {
        return blocked && counted == time;
    }

    /** Returns since when publishers are held back, by the clock; meaningful while {@link #blocked}. */
    public long blockedSinceNanos() {
        return blockedSinceNanos;
    }

    /** Returns how long limits without a time of their own did not let the log grow, since the start. Any thread. */
    public long blockedNanos(long now) {
        return time.nanos(now);
    }

    /** Wakes the writer if a limit that has moved on, by a volatile store, has freed half of the window; the last one counts. */
    public void wakeIfRoom(long position) {
        if (blocked && position >= refused - window / 2) {
            writer.signal();
        }
    }

    /**
     * Looks at the limits anew, as one has gone back in the log. When this returns the writer has ended the append that it was
     * allowed before; from now on it keeps to where the limit stands.
     */
    public void movedBack() {
        lookAtLimitsAgain();
        writer.awaitBetweenSteps();
    }

    private synchronized void lookAtLimitsAgain() {
        limits = limits.clone();
    }

    public synchronized void add(Limit limit) {
        Limit[] old = limits;
        Limit[] next = Arrays.copyOf(old, old.length + 1);
        next[old.length] = limit;
        limits = next;
    }

    public synchronized void remove(Limit limit) {
        limits = Arrays.stream(limits).filter(l -> l != limit).toArray(Limit[]::new);
        wakeIfRoom(Long.MAX_VALUE);
    }

    private static long slowest(Limit[] limits) {
        long slowest = Long.MAX_VALUE / 2;
        for (Limit limit : limits) {
            slowest = Math.min(slowest, limit.position());
        }
        return slowest;
    }
}

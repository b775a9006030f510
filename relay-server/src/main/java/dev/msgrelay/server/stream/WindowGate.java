package dev.msgrelay.server.stream;

import dev.msgrelay.server.figures.Stopwatch;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Keeps the log's end at most a window ahead of the slowest limit. A limit is the position of a {@code backpressure}
 * subscriber, or of the journal. When the window is used up, the relay stops reading publishers' sockets, and local
 * publishers find the ring full: that is the back pressure.
 *
 * <p>The window is smaller than the log, because bytes that wait for long are no longer in the processor's cache when
 * they are sent.
 *
 * <p>Only the log's writer calls {@link #tryPass}. Limits are added, moved and removed on any thread.
 */
public final class WindowGate implements PacketLog.Gate {
    /** The start time of a wait, in nanoseconds, when there is no wait. */
    public static final long NEVER = Long.MAX_VALUE;

    /** A position that the end of the log may not exceed by more than the window. */
    public interface Limit {
        /** Returns the position before which the subscriber or the journal needs no byte. Any thread. */
        long position();

        /**
         * Returns the stopwatch that sums the times for which this limit held publishers back.
         *
         * @param common the stopwatch of all limits that have no stopwatch of their own
         */
        default Stopwatch heldBack(Stopwatch common) {
            return common;
        }
    }

    public interface Writer {
        /** Wakes the writer if it sleeps. Called on any thread, after the caller's change has become visible. */
        void signal();

        /** If the writer is in an append, waits until the append ends. Returns at once on the writer's own thread. */
        void awaitBetweenSteps();
    }

    private final long window;
    private final Writer writer;
    private final LongSupplier clock;

    private volatile Limit[] limits = {};
    private volatile boolean blocked;
    private volatile long blockedSinceNanos;
    private volatile long refused;
    private final Stopwatch time = new Stopwatch();

    private Limit[] seen = limits;
    private long farthest = Long.MAX_VALUE;
    // The stopwatch of the slowest limit, which runs while publishers are held back.
    private volatile Stopwatch counted = time;

    /**
     * @param window in bytes; the log may exceed it by one run
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
            // Looks again after the flag is set, because a limit that moved before then has not woken the writer.
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
            counted.start(blockedSinceNanos);
            blocked = true;
        }
    }

    /**
     * If nothing waits to be appended, no limit holds anything back, so a refusal ends here. Otherwise the refusal's
     * time counts, from now on, for the limit that is slowest now.
     */
    public void settle(boolean anyWaits) {
        if (!anyWaits) {
            unblock();
        }
        if (!blocked) {
            return;
        }
        Stopwatch now = timeOfSlowest();
        if (counted != now) {
            blockedSinceNanos = clock.getAsLong();
            counted.stop(blockedSinceNanos);
            counted = now;
            counted.start(blockedSinceNanos);
        }
    }

    private Stopwatch timeOfSlowest() {
        long least = Long.MAX_VALUE;
        Stopwatch found = time;
        for (Limit limit : limits) {
            long position = limit.position();
            if (position < least) {
                least = position;
                found = limit.heldBack(time);
            }
        }
        return found;
    }

    private void unblock() {
        if (blocked) {
            blocked = false;
            counted.stop(clock.getAsLong());
        }
    }

    public boolean blocked() {
        return blocked;
    }

    /** Returns whether the writer has to wait longer; the writer asks this before it sleeps. */
    public boolean stillRefuses() {
        return blocked && !halfOpen(refused);
    }

    /** Returns whether half of the window is free, so that publishers may go on. A smaller part is soon used up. */
    public boolean halfOpen(long position) {
        return position <= slowest(limits) + window - window / 2;
    }

    /** Returns whether a subscriber, which is a limit without its own stopwatch, holds publishers back. Any thread. */
    public boolean blockedByReaders() {
        return blocked && counted == time;
    }

    /** Returns when subscribers, or the journal, began to hold publishers back, in ns. Requires {@link #blocked}. */
    public long blockedSinceNanos() {
        return blockedSinceNanos;
    }

    /** Returns the nanoseconds for which limits without a stopwatch of their own held publishers back. Any thread. */
    public long blockedNanos(long now) {
        return time.nanos(now);
    }

    /** Wakes the writer if half of the window is free. Called after a volatile store has moved a limit. */
    public void wakeIfRoom(long position) {
        if (blocked && position >= refused - window / 2) {
            writer.signal();
        }
    }

    /**
     * Notes that a limit has moved back in the log, so that the limit that the writer remembers is wrong. On return the
     * writer has ended an append that the old limit allowed, and obeys the new one.
     */
    public void movedBack() {
        synchronized (this) {
            limits = limits.clone();
        }
        writer.awaitBetweenSteps();
    }

    public synchronized void add(Limit limit) {
        Limit[] next = Arrays.copyOf(limits, limits.length + 1);
        next[next.length - 1] = limit;
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

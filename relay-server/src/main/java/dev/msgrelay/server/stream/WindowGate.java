package dev.msgrelay.server.stream;

import dev.msgrelay.server.figures.Stopwatch;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Keeps the end of the log within a window after its slowest limit. A limit is the position of a {@code backpressure}
 * subscriber, or of the journal. At the end of the window the relay stops reading publishers' sockets, and local
 * publishers fill the ring: that is the back pressure.
 *
 * <p>The window is smaller than the log: bytes that wait for long have left the processor's cache when they are sent.
 *
 * <p>{@link #tryPass} is the log's writer's; limits come, move and go on any thread.
 */
public final class WindowGate implements PacketLog.Gate {
    /** The value of {@link #blockedSinceNanos} if no publisher waits. */
    public static final long NEVER = Long.MAX_VALUE;

    /** A position that the log may exceed by the window. */
    public interface Limit {
        /** Returns the position before which the subscriber or the journal needs no byte. Any thread. */
        long position();

        /**
         * Returns the sum of the times for which this limit held publishers back.
         *
         * @param common the sum of all limits without one of their own
         */
        default Stopwatch heldBack(Stopwatch common) {
            return common;
        }
    }

    public interface Writer {
        /** Wakes the writer if it sleeps. Any thread, after its change has become visible. */
        void signal();

        /** Waits for the end of an append that the writer is in. On the writer's own thread returns at once. */
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
    // The time of the slowest limit, while publishers are held back.
    private volatile Stopwatch counted = time;

    /**
     * @param window bytes, give or take one run
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
            // A second look, after the flag is set: a limit that moved before the flag has not signalled.
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
     * Counts the time of a refusal for the slowest limit. Where nothing waits to be appended, no reader is to blame,
     * and the refusal ends.
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

    /** Returns whether the writer has to wait longer; asked before it sleeps. */
    public boolean stillRefuses() {
        return blocked && !halfOpen(refused);
    }

    /** Returns whether half of the window is free, so that publishers may go on: less would soon be used up. */
    public boolean halfOpen(long position) {
        return position <= slowest(limits) + window - window / 2;
    }

    /** Returns whether publishers are held back by a limit without a time of its own. Any thread. */
    public boolean blockedByReaders() {
        return blocked && counted == time;
    }

    /** Returns since when publishers are held back, in ns. Only while {@link #blocked}. */
    public long blockedSinceNanos() {
        return blockedSinceNanos;
    }

    /** Returns the nanoseconds for which limits without a time of their own held publishers back. Any thread. */
    public long blockedNanos(long now) {
        return time.nanos(now);
    }

    /** Wakes the writer if a limit, moved on by a volatile store, has freed half of the window. */
    public void wakeIfRoom(long position) {
        if (blocked && position >= refused - window / 2) {
            writer.signal();
        }
    }

    /**
     * Takes note that a limit has moved back in the log, so that the writer's cached limit is wrong. On return the
     * writer has ended the append that the old limit allowed, and keeps to the new one.
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

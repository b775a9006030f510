package dev.msgrelay.server.access;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The connections, replays and bytes of one identity, of all its connections together. Any thread; no lock. */
final class IdentityUse {
    /** Burst after a pause: the bytes that the rate allows in this time. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong replays = new AtomicLong();
    // For each direction: the time at which all bytes so far would have gone through at the rate.
    private final AtomicLong published = new AtomicLong(Long.MIN_VALUE);
    private final AtomicLong sent = new AtomicLong(Long.MIN_VALUE);
    // The rate that these times were computed with.
    private volatile long lastRate;

    /**
     * Counts one more connection and returns true, unless there are {@code most} already. After true, {@link #removeConnection} is
     * due.
     */
    boolean addConnection(long most) {
        return oneMore(connections, most);
    }

    private static boolean oneMore(AtomicLong of, long most) {
        return of.getAndUpdate(now -> now < most ? now + 1 : now) < most;
    }

    void removeConnection() {
        connections.decrementAndGet();
    }

    /**
     * Counts one more subscriber that gets the journal and returns true, unless there are {@code most} already. After
     * true, {@link #endReplay} is due.
     */
    boolean beginReplay(long most) {
        return oneMore(replays, most);
    }

    void endReplay() {
        replays.decrementAndGet();
    }

    boolean isUnused() {
        return connections.get() == 0 && replays.get() == 0;
    }

    /**
     * Counts bytes that have gone through. Returns the nanoseconds for which no more shall go through; 0 or less: no
     * pause.
     */
    long took(boolean publishing, long bytes, long rate, long nowNanos) {
        if (rate != lastRate) {
            // A reload has changed the rate: bytes owed at the old one might take hours, so they are forgotten.
            lastRate = rate;
            published.set(Long.MIN_VALUE);
            sent.set(Long.MIN_VALUE);
        }
        AtomicLong through = publishing ? published : sent;
        // Double: bytes times nanoseconds would overflow a long. At useful rates it is exact to a microsecond.
        long nanos = (long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / rate);
        long before;
        long after;
        do {
            before = through.get();
            boolean rested = before == Long.MIN_VALUE || before - nowNanos < -BURST_NANOS;
            after = (rested ? nowNanos - BURST_NANOS : before) + nanos;
        } while (!through.compareAndSet(before, after));
        return after - nowNanos;
    }
}

package dev.msgrelay.server.access;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What one identity uses, all its connections together. Any thread; no lock. */
final class IdentityUse {
    /** What may come at once after a pause: so much of a second's bytes. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong replays = new AtomicLong();
    // By direction: the time at which all that has gone through so far would have been through at the rate.
    private final AtomicLong published = new AtomicLong(Long.MIN_VALUE);
    private final AtomicLong sent = new AtomicLong(Long.MIN_VALUE);
    // By which those times count.
    private volatile long lastRate;

    /** One connection more, unless there are so many; {@link #leave} is due then. */
    boolean enter(long most) {
        return oneMore(connections, most);
    }

    private static boolean oneMore(AtomicLong of, long most) {
        long before;
        do {
            before = of.get();
            if (before >= most) {
                return false;
            }
        } while (!of.compareAndSet(before, before + 1));
        return true;
    }

    void leave() {
        connections.decrementAndGet();
    }

    /** One subscriber more that is sent what lies behind the log, unless there are so many; {@link #endReplay} is due then. */
    boolean beginReplay(long most) {
        return oneMore(replays, most);
    }

    void endReplay() {
        replays.decrementAndGet();
    }

    boolean isUnused() {
        return connections.get() == 0 && replays.get() == 0;
    }

    /** So many bytes have gone through; answers for how long, in nanoseconds, no more shall: 0 or less, none. */
    long took(boolean publishing, long bytes, long rate, long nowNanos) {
        if (rate != lastRate) {
            // A reload has changed it: what is owed at the old one may be hours at that, and is forgotten.
            lastRate = rate;
            published.set(Long.MIN_VALUE);
            sent.set(Long.MIN_VALUE);
        }
        AtomicLong through = publishing ? published : sent;
        // In double: bytes times nanoseconds would overflow. At rates of any use it is exact to the microsecond.
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

package dev.msgrelay.client.cli;

import java.util.concurrent.TimeUnit;

/**
 * A limit on lines about a relay's events: {@link #BURST} at once, then one a second. Owned by one thread; the caller
 * passes the time.
 */
final class LineLimit {
    static final int BURST = 20;

    private static final long REFILL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private int left = BURST;
    private long refilledAt;

    LineLimit(long now) {
        refilledAt = now;
    }

    /** Whether one more line may be printed now; counts it. */
    boolean tryAcquire(long now) {
        long more = (now - refilledAt) / REFILL_NANOS;
        if (more > 0) {
            left = (int) Math.min(BURST, left + more);
            refilledAt += more * REFILL_NANOS;
        }
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}

package dev.msgrelay.cluster;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * The wait of a node's thread: short while there is traffic, since a message passes a dozen threads; longer without
 * traffic, to save processor time. For one thread.
 *
 * <pre>
 *   work | yield | 20 us, 40, 80, ... 1 ms | 1 ms, 1 ms, ... | 4 ms, 4 ms, ...
 *                                            for 16 ms
 * </pre>
 *
 * After {@link #standStill}, the thread waits until Aeron ends it.
 */
final class Idle implements IdleStrategy {
    private static final int YIELDS = 2;
    private static final long SHORTEST_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int BUSY_PARKS = 16;
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final long STILL_NANOS = TimeUnit.MINUTES.toNanos(1);

    // Waits since the last work.
    private int yields;
    private int parks;
    private long parkNanos = SHORTEST_NANOS;
    // Set by any thread.
    private volatile boolean still;

    /** Stops the thread at its next wait. Any thread. */
    void standStill() {
        still = true;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0 && !still) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        // Aeron interrupts a thread to end it.
        while (still && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(STILL_NANOS);
        }
        long nanos = nextNanos();
        if (nanos == 0) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(nanos);
        }
    }

    /** Nanoseconds of the next wait; 0: a yield to other threads. */
    long nextNanos() {
        if (yields < YIELDS) {
            yields++;
            return 0;
        }
        long nanos = parkNanos;
        if (nanos < BUSY_NANOS) {
            parkNanos = Math.min(2 * nanos, BUSY_NANOS);
        } else if (parks < BUSY_PARKS) {
            parks++;
        } else {
            parkNanos = LONGEST_NANOS;
        }
        return nanos;
    }

    @Override
    public void reset() {
        yields = 0;
        parks = 0;
        parkNanos = SHORTEST_NANOS;
    }
}

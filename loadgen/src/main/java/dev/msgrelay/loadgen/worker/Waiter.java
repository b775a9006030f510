package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a moment without taking a core from the others. Owned by the thread that waits.
 *
 * <p>A publisher that spins between two messages is precise, but on a small machine it takes its core from the relay it
 * wants to measure; one that sleeps wakes up late. So: it sleeps while the moment is far, and when it is near it only
 * yields, which hands the core to whoever has work there and keeps it from falling asleep (waking a core of a virtual
 * machine takes tens of microseconds). With more of them than idle cores there is nothing to be won by yielding.
 */
public final class Waiter {
    /** Linux lets a sleeper oversleep by 50 us to save wake-ups; a schedule needs it shorter. */
    private static final String TIMER_SLACK_NANOS = "1000";

    /** How near to a message's time a publisher stops sleeping, where it may. */
    private static final long YIELD_WITHIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final long yieldWithinNanos;

    /** @param yieldWithinNanos so near to the moment, it yields instead of sleeping; 0 to sleep always */
    public Waiter(long yieldWithinNanos) {
        this.yieldWithinNanos = yieldWithinNanos;
    }

    /**
     * As suits this machine: a waiter that yields keeps a core awake, which is fair only while the relay and a subscriber
     * have another.
     *
     * @param processes that wait on this machine, each in one thread
     */
    static Waiter among(int processes, int cores) {
        return new Waiter(2 * processes > cores ? 0 : YIELD_WITHIN_NANOS);
    }

    /** Returns the clock at or after {@code moment}. */
    public long awaitMoment(long moment) {
        long now;
        while ((now = System.nanoTime()) < moment) {
            long sleep = moment - now - yieldWithinNanos;
            if (sleep > 0) {
                LockSupport.parkNanos(sleep);
            } else {
                Thread.yield();
            }
        }
        return now;
    }

    /** Asks the kernel to wake this thread on time; without effect where there is no such file. */
    public static void sharpenTimer() {
        try {
            Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
            Files.writeString(Path.of("/proc", self.getFileName().toString(), "timerslack_ns"), TIMER_SLACK_NANOS);
        } catch (IOException | UnsupportedOperationException e) {
            // Other systems: the default precision has to do, late sends are counted in any case.
        }
    }
}

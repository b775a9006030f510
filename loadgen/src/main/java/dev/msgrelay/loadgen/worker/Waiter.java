package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a moment without taking a core from other threads. The waiting thread owns it.
 *
 * <p>A publisher that spins is precise, but takes a core from the relay on a small machine; one that sleeps wakes late.
 * The waiter sleeps while the moment is far, and yields when it is near: a yield gives the core to threads with work,
 * and keeps the core awake, as waking one of a virtual machine takes tens of microseconds.
 */
public final class Waiter {
    /** Linux lets a sleeper oversleep by 50 us to save wake-ups; a schedule needs it shorter. */
    private static final String TIMER_SLACK_NANOS = "1000";

    /** Time before a message at which a publisher begins to yield. */
    private static final long YIELD_WITHIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final long yieldWithinNanos;

    /** @param yieldWithinNanos time before the moment in which it yields instead of sleeping; 0 to sleep always */
    public Waiter(long yieldWithinNanos) {
        this.yieldWithinNanos = yieldWithinNanos;
    }

    /**
     * The waiter for a machine: one that yields keeps a core awake, so the relay and a subscriber must have another
     * core.
     *
     * @param processes processes that wait on this machine, each in one thread
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
            // Other systems have the default precision; late messages are counted in any case.
        }
    }
}

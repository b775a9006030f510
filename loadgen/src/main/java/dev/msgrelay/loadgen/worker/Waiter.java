package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until a given time, and leaves the core to other threads meanwhile. The waiting thread owns it.
 *
 * <p>A publisher that spins is precise, but takes a core from the relay on a small machine. A publisher that sleeps
 * wakes late. So the waiter sleeps while the time is far, and yields when it is near. A yield gives the core to threads
 * with work, but keeps the core awake. Waking a core of a virtual machine takes tens of microseconds.
 */
public final class Waiter {
    /**
     * The time by which Linux may wake a sleeping thread late, to save wake-ups. The default is 50 us, too much for a
     * schedule.
     */
    private static final String TIMER_SLACK_NANOS = "1000";

    private static final long YIELD_WITHIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final long yieldWithinNanos;

    public Waiter(long yieldWithinNanos) {
        this.yieldWithinNanos = yieldWithinNanos;
    }

    /**
     * Returns a waiter for this machine. A waiter that yields keeps a core awake, so it is used only if relay and
     * subscriber have other cores.
     */
    static Waiter among(int processes, int cores) {
        return new Waiter(2 * processes > cores ? 0 : YIELD_WITHIN_NANOS);
    }

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

    /** Asks the kernel to wake this thread on time. This has no effect on systems without that setting. */
    public static void sharpenTimer() {
        try {
            Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
            Files.writeString(Path.of("/proc", self.getFileName().toString(), "timerslack_ns"), TIMER_SLACK_NANOS);
        } catch (IOException | UnsupportedOperationException e) {
            // The thread then wakes with the system's usual delay. Messages that this makes late are counted as late.
        }
    }
}

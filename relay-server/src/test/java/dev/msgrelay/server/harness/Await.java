package dev.msgrelay.server.harness;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions, never for a time. */
public final class Await {
    /** Longer than anything here takes on a busy machine; what has not happened by then never will. */
    public static final long LIMIT_SECONDS = 120;

    public static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);

    public static final int LIMIT_MILLIS = (int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS);

    private static final long LOOK_NANOS = 500_000;

    private Await() {}

    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /** Returns once the condition holds; {@code what} is asked when it does not in time. */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within " + LIMIT_SECONDS + " s: " + what.get());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Whether a condition goes on holding while it is looked at {@code looks} times, half a millisecond apart. */
    public static boolean staysTrue(int looks, BooleanSupplier condition) {
        for (int i = 0; i < looks; i++) {
            if (!condition.getAsBoolean()) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    public static void join(Thread thread) throws InterruptedException {
        thread.join(LIMIT_MILLIS);
        if (thread.isAlive()) {
            AssertionError hangs = new AssertionError("thread " + thread.getName() + " does not end");
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        }
    }
}

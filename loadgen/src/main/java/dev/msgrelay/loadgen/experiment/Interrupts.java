package dev.msgrelay.loadgen.experiment;

import java.util.concurrent.TimeUnit;

/**
 * After Ctrl-C or SIGTERM, interrupts the thread of the command, and waits for the end of that thread, which writes the
 * results.
 */
public final class Interrupts implements AutoCloseable {
    /** Longest wait, which only a thread that hangs reaches. */
    private static final long GRACE_MILLIS = TimeUnit.SECONDS.toMillis(30);

    private final Thread hook;
    private volatile boolean requested;

    public Interrupts() {
        Thread worker = Thread.currentThread();
        hook = new Thread(() -> interrupt(worker), "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interrupt(Thread worker) {
        requested = true;
        worker.interrupt();
        try {
            worker.join(GRACE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isRequested() {
        return requested;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending already, so the hook cannot be removed any more.
        }
    }
}

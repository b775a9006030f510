package dev.msgrelay.loadgen.experiment;

import java.util.concurrent.TimeUnit;

/** Handles Ctrl-C and SIGTERM: it interrupts the command's thread, and gives it some seconds to print its results. */
public final class Interrupts implements AutoCloseable {
    private static final long GRACE_MILLIS = TimeUnit.SECONDS.toMillis(4);

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
            // The JVM is ending already.
        }
    }
}

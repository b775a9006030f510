package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.rig.RunException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Ctrl-C and SIGTERM: the command's thread is interrupted and gets a moment to print what it has. */
public final class Interrupts implements AutoCloseable {
    private static final long GRACE_MILLIS = TimeUnit.SECONDS.toMillis(4);

    private final Thread hook;
    private volatile boolean requested;

    private Interrupts(Thread worker) {
        hook = new Thread(() -> interrupt(worker), "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Watches over the calling thread until closed. */
    public static Interrupts watch() {
        return new Interrupts(Thread.currentThread());
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

    /** A piece of the command's work. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException, RunException, InterruptedException;
    }

    /**
     * Does it.
     *
     * @throws InterruptedException also where the work failed because the process was asked to end
     */
    public <T> T orInterrupted(Work<T> work) throws IOException, RunException, InterruptedException {
        try {
            return work.run();
        } catch (RunException | IOException e) {
            // A signal from a terminal goes to the children as well: they may be gone before we are interrupted. And
            // what the interrupt hit may have told it as a failure of its own.
            if (requested) {
                throw new InterruptedException();
            }
            throw e;
        }
    }

    /** Whether the process was asked to end. */
    public boolean isRequested() {
        return requested;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is going down: that is what this was for
        }
    }
}

package dev.msgrelay.client.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: runs {@code stop} on the JVM's shutdown thread, then gives the command's own thread a bounded
 * time to print its summary. The JVM then ends with the code that shells expect, 128 + the signal: 130 or 143. A second
 * signal meanwhile ends the process at once.
 */
final class OnShutdown {
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

    /** @param patience longest wait for {@link #releaseHook}; zero if {@code stop} does everything itself */
    OnShutdown(Runnable stop, Duration patience) {
        hook = new Thread(() -> stopAndWait(stop, patience), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Tells the hook that the command has printed everything. */
    void releaseHook() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down: the hook is running, and now knows that it may end.
        }
    }

    private void stopAndWait(Runnable stop, Duration patience) {
        endAtOnceOn("INT");
        endAtOnceOn("TERM");
        stop.run();
        try {
            if (!done.await(patience.toMillis(), TimeUnit.MILLISECONDS) && !patience.isZero()) {
                System.err.println("gave up waiting after " + patience.toMillis() + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Gives a signal the kernel's default action, which ends the process: a JVM that shuts down takes no further notice
     * of signals. The JDK has no public way; module jdk.unsupported keeps this one for such uses. The compiler would
     * warn of it, hence the names.
     */
    private static void endAtOnceOn(String signal) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            type.getMethod("handle", type, handler)
                    .invoke(
                            null,
                            type.getConstructor(String.class).newInstance(signal),
                            handler.getField("SIG_DFL").get(null));
        } catch (ReflectiveOperationException e) {
            // A JVM without it, or with -Xrs: a second signal changes nothing.
        }
    }
}

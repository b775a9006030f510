package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.io.InterruptedIOException;

/** The end of threads, bounded. */
final class Ending {
    /** What is on its way is sent by then, or never. */
    static final long LIMIT_MILLIS = 10_000;

    private Ending() {}

    /**
     * Waits for the thread's end.
     *
     * @throws IOException it does not end, or the calling thread is interrupted, and stays so
     */
    static void join(Thread thread) throws IOException {
        try {
            thread.join(LIMIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + thread.getName() + " ended");
        }
        if (thread.isAlive()) {
            throw new IOException(thread.getName() + " did not end within " + LIMIT_MILLIS + " ms");
        }
    }
}

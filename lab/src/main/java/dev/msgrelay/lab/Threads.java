package dev.msgrelay.lab;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Starts and joins the threads of contestants. They are daemon threads, and every wait has a time limit. */
public final class Threads {
    /** A thread that has not ended after this time is assumed to hang. */
    public static final long LIMIT_MILLIS = 60_000;

    private Threads() {}

    public static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Waits for a thread's end.
     *
     * @throws IOException the thread did not end in time, or the calling thread was interrupted, and stays so
     */
    public static void join(Thread thread) throws IOException {
        join(thread, LIMIT_MILLIS);
    }

    public static void join(Thread thread, long limitMillis) throws IOException {
        try {
            thread.join(limitMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + thread.getName() + " ended");
        }
        if (thread.isAlive()) {
            throw new IOException(thread.getName() + " did not end within " + limitMillis + " ms");
        }
    }

    /**
     * Waits for a condition.
     *
     * @throws IOException the condition did not become true in time, or the calling thread was interrupted, and stays
     *     so
     */
    public static void await(String what, BooleanSupplier isSo) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);
        while (!isSo.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted before " + what);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(what + " did not happen within " + LIMIT_MILLIS + " ms");
            }
            LockSupport.parkNanos(50_000);
        }
    }

    public static void check(IOException failure) throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }
}

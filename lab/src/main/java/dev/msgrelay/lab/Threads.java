package dev.msgrelay.lab;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The threads of contestants: none keeps the process alive, and none is waited for without an end. */
public final class Threads {
    /** Whoever is to end has ended by then, or hangs. */
    public static final long LIMIT_MILLIS = 60_000;

    private Threads() {}

    public static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Waits for a thread's end; throws where it does not end, or the calling thread is interrupted, and stays so. */
    public static void join(Thread thread) throws IOException {
        join(thread, LIMIT_MILLIS);
    }

    /** The same, for a thread that works for a while before it ends. */
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

    /** Waits until it is so; throws where it does not become so, or the calling thread is interrupted, and stays so. */
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

    /** Throws what another thread failed with; null where it did not. */
    public static void check(IOException failure) throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }
}

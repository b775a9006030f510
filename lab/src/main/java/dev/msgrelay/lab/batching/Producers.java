package dev.msgrelay.lab.batching;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;

/** Threads that send messages, each its own. The controlling thread owns it. */
final class Producers implements AutoCloseable {
    /** What is on its way is sent by then, or never; whoever is to end has ended. */
    static final long LIMIT_MILLIS = 10_000;

    private final List<Thread> threads = new ArrayList<>();
    private final long[] sent;
    private volatile IOException failure;

    /** The work of a thread until it is done, or interrupted. */
    @FunctionalInterface
    interface Work {
        /**
         * Sends messages.
         *
         * @return how many
         */
        long run(int id, Frame frame, Sender.Outlet outlet) throws IOException, InterruptedException;
    }

    Producers(int producers, int body, Sender sender, Work work) {
        sent = new long[producers];
        for (int i = 0; i < producers; i++) {
            int id = i;
            Frame frame = new Frame(id, body);
            Sender.Outlet outlet = sender.newOutlet();
            threads.add(daemon("producer-" + id, () -> run(id, frame, outlet, work)));
        }
        threads.forEach(Thread::start);
    }

    private void run(int id, Frame frame, Sender.Outlet outlet, Work work) {
        try {
            sent[id] = work.run(id, frame, outlet);
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Throws what a producer failed with. */
    void checkHealthy() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    /**
     * Waits for the end of all.
     *
     * @return the messages of each
     * @throws IOException what one of them failed with
     */
    long[] awaitEnd() throws IOException {
        for (Thread thread : threads) {
            join(thread);
        }
        checkHealthy();
        return sent.clone();
    }

    /** Ends those that are still at work. */
    @Override
    public void close() throws IOException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            join(thread);
        }
    }

    /** A thread that keeps no process alive. */
    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

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

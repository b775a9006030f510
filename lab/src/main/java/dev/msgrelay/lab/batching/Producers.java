package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Threads that send messages, each its own. The controlling thread owns it. */
final class Producers implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final long[] sent;
    private volatile IOException failure;

    /** The work of a thread until it is done, or interrupted. */
    @FunctionalInterface
    interface Work {
        /** Sends messages, and says how many. */
        long run(int id, Frame frame, Sender.Outlet outlet) throws IOException, InterruptedException;
    }

    Producers(int producers, Sender sender, Work work) {
        sent = new long[producers];
        for (int i = 0; i < producers; i++) {
            int id = i;
            Frame frame = new Frame(id, Sender.BODY);
            Sender.Outlet outlet = sender.newOutlet();
            threads.add(Threads.daemon("producer-" + id, () -> run(id, frame, outlet, work)));
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

    void checkHealthy() throws IOException {
        Threads.check(failure);
    }

    /** Waits for the end of all, and gives the messages of each; throws what one of them failed with. */
    long[] awaitEnd() throws IOException {
        joinAll();
        checkHealthy();
        return sent.clone();
    }

    /** Ends those that are still at work. */
    @Override
    public void close() throws IOException {
        threads.forEach(Thread::interrupt);
        joinAll();
    }

    private void joinAll() throws IOException {
        for (Thread thread : threads) {
            Threads.join(thread);
        }
    }
}

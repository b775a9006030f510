package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Threads that send one message each, all at once, whenever they are released. The controlling thread owns it. */
final class BurstProducers implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private volatile int released = -1;
    private volatile boolean ended;
    private volatile IOException failure;

    BurstProducers(int producers, int body, Sender sender) {
        for (int id = 0; id < producers; id++) {
            Frame frame = new Frame(id, body);
            Sender.Outlet outlet = sender.newOutlet();
            Thread thread = new Thread(() -> run(frame, outlet), "producer-" + id);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void run(Frame frame, Sender.Outlet outlet) {
        try {
            for (int number = 0; awaitRelease(number); number++) {
                ByteBuffer message = frame.of(number, System.nanoTime());
                outlet.send(message);
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean awaitRelease(int burst) {
        while (released < burst) {
            if (ended) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /** Lets burst {@code number} go, from 0. */
    void release(int number) {
        released = number;
        threads.forEach(LockSupport::unpark);
    }

    /** Throws what a producer failed with. */
    void checkHealthy() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    @Override
    public void close() throws IOException {
        ended = true;
        threads.forEach(LockSupport::unpark);
        for (Thread thread : threads) {
            Ending.join(thread);
        }
    }
}

package dev.msgrelay.loadgen.lab.batching;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The simplest way: every thread writes its own messages, one at a time, under a lock. */
final class SerialSender implements Sender {
    private final NetworkFacade network;
    private final Lock lock = new ReentrantLock();

    SerialSender(NetworkFacade network) {
        this.network = network;
    }

    @Override
    public Outlet newOutlet() {
        return frame -> {
            lock.lock();
            try {
                network.send(frame);
            } finally {
                lock.unlock();
            }
        };
    }

    @Override
    public void close() {
        // nothing waits anywhere
    }
}

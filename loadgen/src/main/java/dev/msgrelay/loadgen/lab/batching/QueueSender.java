package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;

/** Smart batching as the article draws it: a queue, and one thread that empties it. */
final class QueueSender implements Sender {
    private static final int CAPACITY = 16 << 10;
    private static final long FULL_NANOS = 20_000;

    private final Queue<Message> queue = new TrackedQueue<>(CAPACITY);
    private final Waiting waiting;
    private final Thread thread;
    private volatile IOException failure;

    QueueSender(NetworkFacade network, int maxPacketSize, Wait strategy) {
        NetworkBatcher batcher = new NetworkBatcher(network, maxPacketSize, queue);
        waiting = new Waiting(strategy);
        thread = new Thread(() -> run(batcher), "batcher");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(NetworkBatcher batcher) {
        try {
            batcher.run(waiting);
        } catch (IOException e) {
            failure = e;
        }
    }

    @Override
    public Outlet newOutlet() {
        return frame -> {
            Message message = Message.copyOf(frame);
            while (!queue.offer(message)) {
                checkHealthy();
                LockSupport.parkNanos(FULL_NANOS);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            waiting.signal();
        };
    }

    private void checkHealthy() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    @Override
    public void close() throws IOException {
        waiting.end();
        Ending.join(thread);
        checkHealthy();
    }
}

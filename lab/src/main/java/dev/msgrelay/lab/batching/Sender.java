package dev.msgrelay.lab.batching;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** One of the ways from many threads to one device. */
interface Sender extends AutoCloseable {
    /** Where one producer thread hands over its messages. */
    @FunctionalInterface
    interface Outlet {
        /**
         * Hands over one message; waits where there is no room.
         *
         * @param frame one whole frame between position and limit; the caller's again when this returns
         */
        void send(ByteBuffer frame) throws IOException, InterruptedException;
    }

    /** A device that takes one packet at a time, and returns when it has it. Called by one thread at a time. */
    @FunctionalInterface
    interface NetworkFacade {
        /**
         * Sends all that remains in the packet.
         *
         * @param packet whole frames
         */
        void send(ByteBuffer packet) throws IOException;
    }

    /** An outlet for one more producer thread. */
    Outlet newOutlet();

    /** Sends what has been handed over, and ends. Called after the producers have ended. */
    @Override
    void close() throws IOException;

    /** The four ways of the experiment. */
    enum Way {
        SERIAL("lock, one write a message"),
        QUEUE("queue and batching thread"),
        DISRUPTOR("Disruptor and NetworkBatchHandler"),
        RELAY("relay");

        private final String text;

        Way(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * How a way is set up.
     *
     * @param body bytes of every message's body
     * @param packet most bytes of a packet, frames whole
     * @param waiting how batching threads wait
     */
    record Setup(int body, int packet, Wait waiting) {
        /** Opens a way to a device in this process. The relay has none: its device is a subscriber. */
        Sender open(Way way, NetworkFacade device) {
            return switch (way) {
                case SERIAL -> new Serial(device);
                case QUEUE -> new Queued(device, packet, waiting);
                case DISRUPTOR -> new DisruptorSender(device, this);
                case RELAY -> throw new IllegalArgumentException("the relay writes to sockets only");
            };
        }
    }

    /** How a batching thread waits for work. The relay's loop always sleeps in the kernel, whatever is chosen here. */
    enum Wait {
        /** Sleeps, and whoever brings something wakes it: costs a system call on both sides. */
        BLOCK,
        /** Looks again and again, and gives way to others in between: a core is always busy. */
        YIELD;

        /** The Disruptor's own. */
        WaitStrategy ofDisruptor() {
            return this == BLOCK ? new BlockingWaitStrategy() : new YieldingWaitStrategy();
        }
    }

    /** The simplest way: every thread writes its own messages, one at a time, under a lock. */
    final class Serial implements Sender {
        private final NetworkFacade network;
        private final Lock lock = new ReentrantLock();

        Serial(NetworkFacade network) {
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

    /**
     * The article's algorithm: wait for data to become available; as soon as it is, take all there is and send it right
     * away, up to a packet at a time. One thread runs it.
     */
    final class NetworkBatcher {
        private final NetworkFacade network;
        private final Queue<byte[]> queue;
        private final ByteBuffer buffer;

        /**
         * @param queue of whole frames
         */
        NetworkBatcher(NetworkFacade network, int maxPacketSize, Queue<byte[]> queue) {
            this.network = network;
            this.queue = queue;
            // Direct: a channel copies any other one into such a buffer.
            this.buffer = ByteBuffer.allocateDirect(maxPacketSize);
        }

        /** One batch: the article's inner loop. */
        void drain() throws IOException {
            byte[] msg;
            while (null != (msg = queue.poll())) {
                if (msg.length > buffer.remaining()) {
                    sendBuffer();
                }
                buffer.put(msg);
            }
            sendBuffer();
        }

        private void sendBuffer() throws IOException {
            buffer.flip();
            network.send(buffer);
            buffer.clear();
        }
    }

    /** Smart batching as the article draws it: a queue, and one thread that empties it. */
    final class Queued implements Sender {
        private static final int CAPACITY = 16 << 10;
        private static final long FULL_NANOS = 20_000;

        private final Queue<byte[]> queue = new TrackedQueue<>(CAPACITY);
        private final Wait strategy;
        private final NetworkBatcher batcher;
        private final Thread thread = Producers.daemon("batcher", this::run);
        private volatile Thread sleeper;
        private volatile boolean ended;
        private volatile IOException failure;

        Queued(NetworkFacade network, int maxPacketSize, Wait strategy) {
            batcher = new NetworkBatcher(network, maxPacketSize, queue);
            this.strategy = strategy;
            thread.start();
        }

        private void run() {
            try {
                while (awaitMessage()) {
                    batcher.drain();
                }
            } catch (IOException e) {
                failure = e;
            }
        }

        /** False when there is nothing and nothing more will come. */
        private boolean awaitMessage() {
            while (queue.peek() == null) {
                if (ended) {
                    // What came before the end is seen by now.
                    return queue.peek() != null;
                }
                if (strategy == Wait.YIELD) {
                    Thread.yield();
                    continue;
                }
                sleeper = Thread.currentThread();
                if (queue.peek() == null && !ended) {
                    LockSupport.park(this);
                }
                sleeper = null;
            }
            return true;
        }

        @Override
        public Outlet newOutlet() {
            return frame -> {
                byte[] message = new byte[frame.remaining()];
                frame.get(frame.position(), message);
                while (!queue.offer(message)) {
                    checkHealthy();
                    LockSupport.parkNanos(FULL_NANOS);
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
                // Null where it does not sleep.
                LockSupport.unpark(sleeper);
            };
        }

        private void checkHealthy() throws IOException {
            if (failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
        }

        @Override
        public void close() throws IOException {
            ended = true;
            LockSupport.unpark(sleeper);
            Producers.join(thread);
            checkHealthy();
        }
    }
}

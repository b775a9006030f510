package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** One of the ways from many threads to one device. */
@FunctionalInterface
interface Sender extends AutoCloseable {
    /** Bytes of every message's body. */
    int BODY = 100;

    /** Bytes that Ethernet's MTU of 1,500 leaves for TCP's payload: the most of a packet, frames whole. */
    int PACKET = 1_448;

    /** The place where one producer thread hands over its messages. */
    @FunctionalInterface
    interface Outlet {
        /** Hands over one whole frame, the caller's again afterwards; waits where there is no room. */
        void send(ByteBuffer frame) throws IOException, InterruptedException;
    }

    /** A device that takes one packet at a time, and returns when it has it. Called by one thread at a time. */
    @FunctionalInterface
    interface NetworkFacade {
        /** Sends all that remains in the packet: whole frames. */
        void send(ByteBuffer packet) throws IOException;
    }

    Outlet newOutlet();

    /** Sends what has been handed over, and ends. Called after the producers have ended. */
    @Override
    default void close() throws IOException {}

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

        /** Opens a way to a device in this process. The relay has none: its device is a subscriber. */
        Sender open(NetworkFacade device) {
            return switch (this) {
                case SERIAL -> serial(device);
                case QUEUE -> new Queued(device);
                case DISRUPTOR -> new DisruptorSender(device);
                case RELAY -> throw new IllegalArgumentException("the relay writes to sockets only");
            };
        }
    }

    /** The simplest way: every thread writes its own messages, one at a time, under a lock. */
    static Sender serial(NetworkFacade network) {
        Lock lock = new ReentrantLock();
        return () -> frame -> {
            lock.lock();
            try {
                network.send(frame);
            } finally {
                lock.unlock();
            }
        };
    }

    /** Frames that go to the device together, whole. Owned by the thread that sends. */
    final class Packet {
        private final NetworkFacade network;
        private final ByteBuffer buffer;

        Packet(NetworkFacade network, int size) {
            this.network = network;
            // Direct: a channel copies any other one into such a buffer.
            this.buffer = ByteBuffer.allocateDirect(size);
        }

        /** Sends what there is where the frame has no room beside it. */
        void add(byte[] frame, int length) throws IOException {
            if (length > buffer.remaining()) {
                send();
            }
            buffer.put(frame, 0, length);
        }

        void send() throws IOException {
            try {
                network.send(buffer.flip());
            } finally {
                buffer.clear();
            }
        }
    }

    /**
     * Smart batching as the article draws it: a queue, and one thread that waits for data to become available; as soon
     * as it is, it takes all there is and sends it right away, up to a packet at a time.
     */
    final class Queued implements Sender {
        private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>(16 << 10);
        private final Packet packet;
        private final Thread thread = Threads.daemon("batcher", this::run);
        private volatile boolean ended;
        private volatile IOException failure;

        Queued(NetworkFacade network) {
            packet = new Packet(network, PACKET);
            thread.start();
        }

        /** After a failure it goes on with the next packet, so that no producer waits for it. */
        private void run() {
            try {
                // In this order: all that came before the end is seen after it.
                for (boolean last = false; !last || !queue.isEmpty(); last = ended) {
                    byte[] first = queue.poll(5, TimeUnit.MILLISECONDS);
                    try {
                        batch(first, queue, packet);
                    } catch (IOException e) {
                        failure = e;
                    }
                }
            } catch (InterruptedException e) {
                failure = new IOException("interrupted", e);
            }
        }

        /** Sends one batch: the article's inner loop. Null: there is none. */
        static void batch(byte[] first, Queue<byte[]> queue, Packet packet) throws IOException {
            if (first == null) {
                return;
            }
            for (byte[] msg = first; msg != null; msg = queue.poll()) {
                packet.add(msg, msg.length);
            }
            packet.send();
        }

        @Override
        public Outlet newOutlet() {
            return frame -> {
                byte[] message = new byte[frame.remaining()];
                frame.get(frame.position(), message);
                queue.put(message);
            };
        }

        @Override
        public void close() throws IOException {
            ended = true;
            Threads.join(thread);
            Threads.check(failure);
        }
    }
}

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

/** A way to send messages from many threads to one device. */
@FunctionalInterface
interface Sender extends AutoCloseable {
    int BODY = 100;

    /** The largest packet: the payload of TCP with Ethernet's MTU of 1,500 bytes. It contains whole frames. */
    int PACKET = 1_448;

    /** Accepts the messages of one producer thread. */
    @FunctionalInterface
    interface Outlet {
        /** Accepts one whole frame, whose buffer the caller may then reuse. It waits if there is no room. */
        void send(ByteBuffer frame) throws IOException, InterruptedException;
    }

    /** A device that accepts one packet at a time. One thread at a time calls it. */
    @FunctionalInterface
    interface NetworkFacade {
        /** Sends a packet of whole frames, and returns when the device has it. */
        void send(ByteBuffer packet) throws IOException;
    }

    Outlet newOutlet();

    /** Sends all accepted messages, and ends. It is called after the producers have ended. */
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

        /** Opens a way to a device in this process. The relay is no such way, since its device is a subscriber. */
        Sender open(NetworkFacade device) {
            return switch (this) {
                case SERIAL -> serial(device);
                case QUEUE -> new Queued(device);
                case DISRUPTOR -> new DisruptorSender(device);
                case RELAY -> throw new IllegalArgumentException("the relay writes to sockets only");
            };
        }
    }

    /** The simplest way: every thread writes its own messages, one at a time, while it holds a lock. */
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

    /** Whole frames that are sent to the device together. The sending thread owns it. */
    final class Packet {
        private final NetworkFacade network;
        private final ByteBuffer buffer;

        Packet(NetworkFacade network, int size) {
            this.network = network;
            // A channel would copy a heap buffer into a direct one.
            this.buffer = ByteBuffer.allocateDirect(size);
        }

        /** Adds a frame. If there is no room for it, the packet is sent before. */
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
     * Smart batching as the article describes it: a queue, and one thread that waits for messages. It takes all
     * messages in the queue and sends them at once, in packets.
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

        /**
         * Runs until the end. After a failure it continues with the next packet, so that no producer waits for ever.
         */
        private void run() {
            try {
                // The order matters: {@code ended} is read before the queue, so messages that came before the end are
                // sent.
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

        /** Sends one batch, as the article's inner loop does; {@code first} may be null. */
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

package dev.msgrelay.lab.batching;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import dev.msgrelay.loadgen.worker.Outlet;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Smart batching with the Disruptor: events made once, one handler. */
final class DisruptorSender implements Sender {
    private static final int EVENTS = 16 << 10;
    private static final long LOOK_NANOS = 50_000;

    private final Disruptor<FrameEvent> disruptor;
    private final NetworkBatchHandler handler;
    private volatile IOException failure;

    /** A slot: made once, written by whoever claimed it, read by the handler. */
    static final class FrameEvent {
        private final byte[] bytes;
        private int size;

        /**
         * @param capacity the longest frame
         */
        FrameEvent(int capacity) {
            this.bytes = new byte[capacity];
        }

        void set(ByteBuffer frame) {
            size = frame.remaining();
            frame.get(frame.position(), bytes, 0, size);
        }
    }

    /** The article's handler: {@code endOfBatch} takes the place of the double loop. The Disruptor's thread owns it. */
    static final class NetworkBatchHandler implements EventHandler<FrameEvent> {
        private final NetworkFacade network;
        private final ByteBuffer buffer;

        NetworkBatchHandler(NetworkFacade network, int maxPacketSize) {
            this.network = network;
            // Direct: a channel copies any other one into such a buffer.
            this.buffer = ByteBuffer.allocateDirect(maxPacketSize);
        }

        @Override
        public void onEvent(FrameEvent msg, long sequence, boolean endOfBatch) throws IOException {
            if (msg.size > buffer.remaining()) {
                sendBuffer();
            }
            buffer.put(msg.bytes, 0, msg.size);
            if (endOfBatch) {
                sendBuffer();
            }
        }

        private void sendBuffer() throws IOException {
            buffer.flip();
            network.send(buffer);
            buffer.clear();
        }
    }

    DisruptorSender(NetworkFacade network) {
        disruptor = new Disruptor<>(
                () -> new FrameEvent(FrameLayout.frameLength(Sender.BODY)),
                EVENTS,
                DaemonThreadFactory.INSTANCE,
                ProducerType.MULTI,
                new BlockingWaitStrategy());
        // After a failure it goes on with the next packet, so that no producer waits for it.
        NetworkFacade guarded = packet -> {
            try {
                network.send(packet);
            } catch (IOException e) {
                failure = e;
            }
        };
        handler = new NetworkBatchHandler(guarded, PACKET);
        disruptor.handleEventsWith(handler);
        disruptor.start();
    }

    @Override
    public Outlet newOutlet() {
        RingBuffer<FrameEvent> ring = disruptor.getRingBuffer();
        return frame -> {
            checkHealthy();
            long sequence = ring.next();
            try {
                ring.get(sequence).set(frame);
            } finally {
                ring.publish(sequence);
            }
        };
    }

    private void checkHealthy() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    /** {@code Disruptor.shutdown} does not wait for a handler whose thread has not begun yet; this does. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Producers.LIMIT_MILLIS);
        while (disruptor.getSequenceValueFor(handler) < disruptor.getCursor()) {
            if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
                disruptor.halt();
                throw new IOException("the Disruptor did not end within " + Producers.LIMIT_MILLIS + " ms");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        disruptor.halt();
        checkHealthy();
    }
}

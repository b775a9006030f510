package dev.msgrelay.lab.batching;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Smart batching with the Disruptor: events made once, one handler. */
final class DisruptorSender implements Sender {
    private static final int EVENTS = 16 << 10;

    private final Disruptor<FrameEvent> disruptor;
    private final NetworkBatchHandler handler;
    private volatile IOException failure;

    /** A slot: made once, written by whoever claimed it, read by the handler. */
    static final class FrameEvent {
        private final byte[] bytes;
        private int size;

        FrameEvent(int capacity) {
            this.bytes = new byte[capacity];
        }

        void set(ByteBuffer frame) {
            size = frame.remaining();
            frame.get(frame.position(), bytes, 0, size);
        }
    }

    /** The article's handler: {@code endOfBatch} takes the place of the double loop. The Disruptor's thread owns it. */
    record NetworkBatchHandler(Packet packet) implements EventHandler<FrameEvent> {
        @Override
        public void onEvent(FrameEvent msg, long sequence, boolean endOfBatch) throws IOException {
            packet.add(msg.bytes, msg.size);
            if (endOfBatch) {
                packet.send();
            }
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
        handler = new NetworkBatchHandler(new Packet(guarded, PACKET));
        disruptor.handleEventsWith(handler);
        disruptor.start();
    }

    @Override
    public Outlet newOutlet() {
        RingBuffer<FrameEvent> ring = disruptor.getRingBuffer();
        return frame -> {
            Threads.check(failure);
            ring.publishEvent((event, sequence, bytes) -> event.set(bytes), frame);
        };
    }

    /** {@code Disruptor.shutdown} does not wait for a handler whose thread has not begun yet; this does. */
    @Override
    public void close() throws IOException {
        try {
            Threads.await("the Disruptor's end", () -> disruptor.getSequenceValueFor(handler) == disruptor.getCursor());
        } finally {
            disruptor.halt();
        }
        Threads.check(failure);
    }
}

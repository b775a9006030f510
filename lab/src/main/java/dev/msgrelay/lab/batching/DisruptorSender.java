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

/** Smart batching with the Disruptor: preallocated slots and one handler. */
final class DisruptorSender implements Sender {
    private final Disruptor<ByteBuffer> disruptor;
    private final NetworkBatchHandler handler;
    private volatile IOException failure;

    /**
     * The article's handler: its flag {@code endOfBatch} replaces a loop that drains a queue. The Disruptor's thread
     * owns it.
     */
    record NetworkBatchHandler(Packet packet) implements EventHandler<ByteBuffer> {
        @Override
        public void onEvent(ByteBuffer msg, long sequence, boolean endOfBatch) throws IOException {
            packet.add(msg.array(), msg.limit());
            if (endOfBatch) {
                packet.send();
            }
        }
    }

    DisruptorSender(NetworkFacade network) {
        disruptor = new Disruptor<>(
                () -> ByteBuffer.allocate(FrameLayout.frameLength(Sender.BODY)),
                16 << 10,
                DaemonThreadFactory.INSTANCE,
                ProducerType.MULTI,
                new BlockingWaitStrategy());
        // After a failure the handler continues with the next packet, so that no producer waits for ever.
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
        RingBuffer<ByteBuffer> ring = disruptor.getRingBuffer();
        return frame -> {
            Threads.check(failure);
            ring.publishEvent((slot, sequence, bytes) -> set(slot, bytes), frame);
        };
    }

    static void set(ByteBuffer slot, ByteBuffer frame) {
        int length = frame.remaining();
        slot.clear().put(0, frame, frame.position(), length).limit(length);
    }

    /**
     * Waits until all messages are sent. {@code Disruptor.shutdown} would not wait for a handler whose thread has not
     * started yet.
     */
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

package dev.msgrelay.lab.eventlog;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import dev.msgrelay.lab.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Smart batching: threads put their events as bytes into a ring. One thread writes all events that arrived during its
 * last write, in one go. If the ring is full, the threads wait. No event waits until a block is full.
 */
final class DisruptorBatches implements EventLog {
    private final Disruptor<Bytes> disruptor = new Disruptor<>(
            Bytes::new, 8192, DaemonThreadFactory.INSTANCE, ProducerType.MULTI, new BlockingWaitStrategy());
    private final RingBuffer<Bytes> ring = disruptor.getRingBuffer();
    private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);
    private final EventHandler<Bytes> handler = this::onEvent;
    private final FileChannel channel;

    /** The collected events; the Disruptor's thread owns it. */
    private final ByteBuffer batch = ByteBuffer.allocateDirect(64 * 1024);

    private volatile IOException failure;

    DisruptorBatches(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        disruptor.handleEventsWith(handler);
        disruptor.start();
    }

    @Override
    public void recordEvent(Event event) throws IOException {
        Threads.check(failure);
        EventBuffer line = buffer.get();
        line.add(event);
        ring.publishEvent((slot, sequence, bytes) -> bytes.copyTo(slot), line.bytes);
        line.bytes.reset();
    }

    /** Collects events until no more are in the ring, or the batch is full. After a failure events are dropped. */
    private void onEvent(Bytes line, long sequence, boolean endOfBatch) {
        try {
            int length;
            for (int from = 0; from < line.size(); from += length) {
                if (!batch.hasRemaining()) {
                    write();
                }
                length = Math.min(line.size() - from, batch.remaining());
                line.copyTo(batch, from, length);
            }
            if (endOfBatch) {
                write();
            }
        } catch (IOException e) {
            failure = e;
            batch.clear();
        }
        line.reset();
    }

    private void write() throws IOException {
        batch.flip();
        while (batch.hasRemaining()) {
            channel.write(batch);
        }
        batch.clear();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            Threads.await("the end of the log", () -> disruptor.getSequenceValueFor(handler) == disruptor.getCursor());
        } finally {
            disruptor.halt();
        }
        Threads.check(failure);
    }
}

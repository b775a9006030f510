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
 * Smart batching: threads put their events, as bytes, into a ring; one thread writes whatever has gathered while it
 * wrote last, in one go. The ring is the bound: when it is full, the threads wait. No event waits for a block to become
 * full.
 */
final class DisruptorBatches implements EventLog {
    private final Disruptor<Bytes> disruptor = new Disruptor<>(
            Bytes::new, 8192, DaemonThreadFactory.INSTANCE, ProducerType.MULTI, new BlockingWaitStrategy());
    private final RingBuffer<Bytes> ring = disruptor.getRingBuffer();
    private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);
    private final EventHandler<Bytes> handler = this::onEvent;
    private final FileChannel channel;

    /** What has gathered; the Disruptor's thread owns it. */
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

    /** Gathers until nothing more waits, or the batch is full. After a failure it takes events for nothing. */
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

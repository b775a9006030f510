package dev.msgrelay.lab.eventlog;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import dev.msgrelay.loadgen.rig.Child.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * Smart batching: threads put their events, as bytes, into a ring; one thread writes whatever has gathered while it wrote
 * last, in one go. The ring is the bound: when it is full, the threads wait. No event waits for a block to become full.
 */
final class DisruptorBatches implements EventLog {
    private static final int RING_SIZE = 8192;
    private static final int LINE_SIZE = 256;
    private static final int BATCH_SIZE = 64 * 1024;
    private static final long CLOSE_SECONDS = 60;

    /** One place of the ring: an event's line. */
    private static final class Slot extends ByteArrayOutputStream {
        Slot() {
            super(LINE_SIZE);
        }

        void moveTo(ByteBuffer batch, int from, int length) {
            batch.put(buf, from, length);
        }
    }

    private final Disruptor<Slot> disruptor = new Disruptor<>(
            Slot::new, RING_SIZE, DaemonThreadFactory.INSTANCE, ProducerType.MULTI, new BlockingWaitStrategy());
    private final RingBuffer<Slot> ring = disruptor.getRingBuffer();
    private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);
    private final FileChannel channel;
    private volatile IOException failure;

    DisruptorBatches(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        disruptor.handleEventsWith(new BatchWriter());
        disruptor.start();
    }

    @Override
    public void recordEvent(Event event) {
        EventBuffer line = buffer.get();
        line.add(event);
        if (failure != null) {
            throw new UncheckedIOException(new IOException("the event log's writer failed", failure));
        }
        long sequence = ring.next();
        try {
            line.writeTo(ring.get(sequence));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ring.publish(sequence);
        }
        line.reset();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            disruptor.shutdown(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            disruptor.halt();
            throw new IOException("the event log's writer was not done within " + CLOSE_SECONDS + " s", e);
        }
        if (failure != null) {
            throw new IOException("the event log's writer failed", failure);
        }
    }

    /** Gathers until nothing more waits, or the batch is full. */
    private final class BatchWriter implements EventHandler<Slot> {
        private final ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_SIZE);

        /** After a failure it takes events for nothing, so that nobody waits for it. */
        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            try {
                gather(slot);
                if (endOfBatch) {
                    write();
                }
            } catch (IOException e) {
                failure = e;
                batch.clear();
            }
            slot.reset();
        }

        private void gather(Slot slot) throws IOException {
            for (int from = 0; from < slot.size(); ) {
                if (!batch.hasRemaining()) {
                    write();
                }
                int length = Math.min(slot.size() - from, batch.remaining());
                slot.moveTo(batch, from, length);
                from += length;
            }
        }

        private void write() throws IOException {
            batch.flip();
            while (batch.hasRemaining()) {
                channel.write(batch);
            }
            batch.clear();
        }
    }
}

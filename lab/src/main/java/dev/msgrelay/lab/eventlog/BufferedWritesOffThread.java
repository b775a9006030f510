package dev.msgrelay.lab.eventlog;

import dev.msgrelay.lab.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Each thread collects a block of events and passes it to a background thread, which writes it.
 *
 * <p>There are two differences from the article. There, the writer thread stops at once when it is asked to, and loses
 * the queue; here, it stops when the queue is empty. There, the queue grows without a limit if the disk is slower than
 * the events; here, there are {@value #MAX_BUFFERS} buffers, and then the threads wait.
 */
final class BufferedWritesOffThread implements EventLog {
    static final int MAX_BUFFERS = 1024;

    private final FileChannel channel;
    private final Thread writer = Threads.daemon("event-log-writer", this::writeAll);
    private final Queue<EventBuffer> complete = new ConcurrentLinkedQueue<>();
    private final Queue<EventBuffer> free = new ConcurrentLinkedQueue<>();

    /** Buffers that are not full yet. {@link #close} passes them to the writer. */
    private final ConcurrentHashMap<Thread, EventBuffer> dirty = new ConcurrentHashMap<>();

    private final AtomicInteger created = new AtomicInteger();
    private volatile boolean closed;
    private volatile IOException failure;

    BufferedWritesOffThread(Path file) throws IOException {
        this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        writer.start();
    }

    private void writeAll() {
        try {
            // The order matters: {@code closed} is read before the queue, so buffers that were queued before are
            // written.
            for (boolean last = false; !last || !complete.isEmpty(); last = closed) {
                EventBuffer buffer = complete.poll();
                if (buffer != null) {
                    write(buffer);
                } else {
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            failure = new IOException("interrupted", e);
        }
    }

    /** Writes a buffer. After a failure it only returns the buffer, so that no thread waits for one. */
    private void write(EventBuffer buffer) {
        try {
            ByteBuffer left = buffer.bytes.toByteBuffer();
            while (left.hasRemaining()) {
                channel.write(left);
            }
        } catch (IOException e) {
            failure = e;
        }
        buffer.bytes.reset();
        free.offer(buffer);
    }

    @Override
    public void recordEvent(Event event) throws IOException {
        EventBuffer gathered = dirty.computeIfAbsent(Thread.currentThread(), thread -> newBuffer());
        gathered.add(event);
        if (gathered.bytes.size() > EventLogExperiment.BLOCK) {
            complete.offer(gathered);
            dirty.put(Thread.currentThread(), newBuffer());
        }
    }

    private EventBuffer newBuffer() {
        EventBuffer buffer = free.poll();
        while (buffer == null) {
            if (created.get() < MAX_BUFFERS) {
                created.incrementAndGet();
                return new EventBuffer();
            }
            LockSupport.parkNanos(100_000);
            buffer = free.poll();
        }
        return buffer;
    }

    @Override
    public void close() throws IOException {
        complete.addAll(dirty.values());
        closed = true;
        try (channel) {
            Threads.join(writer);
        }
        Threads.check(failure);
    }
}

package dev.msgrelay.lab.eventlog;

import dev.msgrelay.loadgen.rig.Child.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread gathers a block of events and hands it to a background thread, which writes it.
 *
 * <p>Two things differ from the article. Its writer thread stops as soon as it is told to, and loses what is queued: here
 * it stops when told to <em>and</em> the queue is empty. And its queue may grow for as long as the disk is slower than the
 * events: here there are {@value #MAX_BUFFERS} buffers, and then the threads wait.
 */
final class BufferedWritesOffThread implements EventLog {
    /** How much is gathered before it is handed over. */
    private static final int BLOCK_SIZE = 8 * 1024;

    static final int MAX_BUFFERS = 1024;
    private static final long NAP_NANOS = 100_000;

    private final WriterThread writer;

    /** Filled buffers, for the writer. */
    private final Queue<EventBuffer> complete = new ConcurrentLinkedQueue<>();

    /** Written buffers, to be used again. */
    private final Queue<EventBuffer> free = new ConcurrentLinkedQueue<>();

    /** Buffers that are not full yet; closing hands them over. */
    private final ConcurrentHashMap<Thread, EventBuffer> dirty = new ConcurrentHashMap<>();

    private final AtomicInteger created = new AtomicInteger();

    BufferedWritesOffThread(Path file) throws IOException {
        writer = new WriterThread(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        writer.start();
    }

    /** Owns the channel. */
    private final class WriterThread extends Thread {
        private final FileChannel channel;
        private volatile boolean isRunning = true;
        private volatile IOException failure;

        WriterThread(FileChannel channel) {
            super("event-log-writer");
            this.channel = channel;
            setDaemon(true);
        }

        @Override
        public void run() {
            try (channel) {
                while (true) {
                    // in this order: what was queued before the log was closed is seen after it
                    boolean last = !isRunning;
                    EventBuffer buffer = complete.poll();
                    if (buffer != null) {
                        buffer.writeTo(channel);
                        free.offer(buffer);
                    } else if (last) {
                        return;
                    } else {
                        Thread.sleep(1);
                    }
                }
            } catch (IOException e) {
                failure = e;
            } catch (InterruptedException e) {
                failure = new IOException("interrupted", e);
            }
        }

        void end() throws IOException {
            isRunning = false;
            try {
                join();
            } catch (InterruptedException e) {
                interrupt();
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while the log was closed", e);
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    @Override
    public void recordEvent(Event event) {
        EventBuffer bytes = dirty.computeIfAbsent(Thread.currentThread(), thread -> newBuffer());
        bytes.add(event);
        if (bytes.size() > BLOCK_SIZE) {
            complete.offer(bytes);
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
            if (writer.failure != null) {
                throw new UncheckedIOException(writer.failure);
            }
            LockSupport.parkNanos(NAP_NANOS);
            buffer = free.poll();
        }
        return buffer;
    }

    @Override
    public void close() throws IOException {
        complete.addAll(dirty.values());
        writer.end();
    }
}

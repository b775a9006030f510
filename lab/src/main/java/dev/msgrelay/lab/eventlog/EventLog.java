package dev.msgrelay.lab.eventlog;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes events into a file, one a line: time, id and message. Any thread may record events. One thread closes the log
 * when all others have ended.
 *
 * <p>The article prints a stack trace and continues after a failure. Here the methods throw, so that a lost event is
 * noticed.
 */
@FunctionalInterface
interface EventLog extends AutoCloseable {
    void recordEvent(Event event) throws IOException;

    @Override
    default void close() throws IOException {}

    record Event(UUID id, ZonedDateTime created, String message) {
        void appendTo(Writer to) throws IOException {
            to.append(DateTimeFormatter.ISO_DATE_TIME.format(created));
            to.append(' ');
            to.append(id.toString());
            to.append(' ');
            to.append(message);
            to.append('\n');
        }
    }

    /** One lock for all work: the event is converted to text while the lock is held. */
    record LockedWriter(Writer stream) implements EventLog {
        LockedWriter(Path file) throws IOException {
            this(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
        }

        @Override
        public synchronized void recordEvent(Event event) throws IOException {
            event.appendTo(stream);
        }

        @Override
        public synchronized void close() throws IOException {
            stream.close();
        }
    }

    /** The event is converted to bytes in a buffer of the thread. The lock is held only for the write. */
    final class LockedStream implements EventLog {
        /** The output. Writes are synchronized on it. */
        private final OutputStream stream;

        private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);

        LockedStream(Path file) throws IOException {
            stream = new BufferedOutputStream(Files.newOutputStream(file));
        }

        @Override
        public void recordEvent(Event event) throws IOException {
            EventBuffer line = buffer.get();
            line.add(event);
            synchronized (stream) {
                line.bytes.writeTo(stream);
            }
            line.bytes.reset();
        }

        @Override
        public void close() throws IOException {
            synchronized (stream) {
                stream.close();
            }
        }
    }

    /**
     * A log without a lock: a thread reserves a range of the file by one atomic addition, and writes there. The article
     * has two such classes: AtomicPositionWrites writes each event, and BufferedWrites writes a block of events that
     * the thread has collected.
     */
    final class PositionWrites implements EventLog {
        private final FileChannel channel;

        /** A thread writes when it has collected more bytes than this; 0: it writes each event. */
        private final int block;

        /** The buffers of all threads, which {@link #close} writes. Access is synchronized on the list. */
        private final List<EventBuffer> buffers = new ArrayList<>();

        private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(this::newBuffer);

        private final AtomicLong writePos = new AtomicLong();

        PositionWrites(Path file, int block) throws IOException {
            this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            this.block = block;
        }

        private EventBuffer newBuffer() {
            EventBuffer created = new EventBuffer();
            synchronized (buffers) {
                buffers.add(created);
            }
            return created;
        }

        @Override
        public void recordEvent(Event event) throws IOException {
            EventBuffer gathered = buffer.get();
            gathered.add(event);
            if (gathered.bytes.size() > block) {
                write(gathered);
            }
        }

        /** Writes until all bytes are written; the article assumes that one call is enough. */
        private void write(EventBuffer gathered) throws IOException {
            ByteBuffer left = gathered.bytes.toByteBuffer();
            long at = writePos.getAndAdd(left.remaining());
            while (left.hasRemaining()) {
                at += channel.write(left, at);
            }
            gathered.bytes.reset();
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                synchronized (buffers) {
                    for (EventBuffer gathered : buffers) {
                        write(gathered);
                    }
                }
            }
        }
    }

    /** The article's {@code Buffer}, in which a thread collects events. One thread at a time uses it. */
    final class EventBuffer {
        final Bytes bytes = new Bytes();
        private final Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8);

        void add(Event event) throws IOException {
            event.appendTo(writer);
            // The writer's own buffer is emptied into the bytes.
            writer.flush();
        }
    }

    /** The article's {@code ByteArrayBuffer}, which gives access to its bytes without a copy. */
    final class Bytes extends ByteArrayOutputStream {
        ByteBuffer toByteBuffer() {
            return ByteBuffer.wrap(buf, 0, count);
        }

        void copyTo(Bytes other) {
            other.write(buf, 0, count);
        }

        void copyTo(ByteBuffer other, int from, int length) {
            other.put(buf, from, length);
        }
    }
}

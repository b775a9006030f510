package dev.msgrelay.lab.eventlog;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
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
 * Writes events into a file, one line each: time, id and message. Any thread may record; one closes, once all others are
 * done.
 *
 * <p>Where the article prints a stack trace and goes on, these throw: a lost event is to be seen.
 */
interface EventLog extends AutoCloseable {
    /**
     * Records one event.
     *
     * @throws java.io.UncheckedIOException if it cannot be written
     */
    void recordEvent(Event event);

    /** Writes what is not in the file yet. */
    @Override
    void close() throws IOException;

    /** One event, as in the article. */
    record Event(UUID id, ZonedDateTime created, String message) {
        /** Writes its line, as the article does. */
        void appendTo(Writer to) throws IOException {
            to.append(DateTimeFormatter.ISO_DATE_TIME.format(created));
            to.append(' ');
            to.append(id.toString());
            to.append(' ');
            to.append(message);
            to.append('\n');
        }
    }

    /** Does nothing: what it shows is the cost of making the events. */
    final class NullLogger implements EventLog {
        @Override
        public void recordEvent(Event event) {
            // the base line
        }

        @Override
        public void close() {
            // nothing to close
        }
    }

    /** One lock around everything: the event becomes text while the lock is held. */
    final class LockedWriter implements EventLog {
        private final Writer stream;

        LockedWriter(Path file) throws IOException {
            stream = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
        }

        @Override
        public synchronized void recordEvent(Event event) {
            try {
                event.appendTo(stream);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public synchronized void close() throws IOException {
            stream.close();
        }
    }

    /** The event becomes bytes in a buffer of the thread's own; the lock is held for the write alone. */
    final class LockedStream implements EventLog {
        /** The final output; writes are synchronized on it. */
        private final OutputStream stream;

        private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);

        LockedStream(Path file) throws IOException {
            stream = new BufferedOutputStream(Files.newOutputStream(file));
        }

        @Override
        public void recordEvent(Event event) {
            EventBuffer bytes = buffer.get();
            bytes.add(event);
            try {
                synchronized (stream) {
                    bytes.writeTo(stream);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            bytes.reset();
        }

        @Override
        public void close() throws IOException {
            synchronized (stream) {
                stream.close();
            }
        }
    }

    /** No lock of its own: a thread takes a place in the file by one atomic addition, and writes its event there. */
    final class AtomicPositionWrites implements EventLog {
        private final FileChannel file;
        private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);

        /** The place of the next write. */
        private final AtomicLong writePos = new AtomicLong();

        AtomicPositionWrites(Path file) throws IOException {
            this.file = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }

        @Override
        public void recordEvent(Event event) {
            EventBuffer bytes = buffer.get();
            bytes.add(event);
            try {
                bytes.writeTo(file, writePos.getAndAdd(bytes.size()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** As {@link AtomicPositionWrites}, but a thread gathers a block of events before it writes. */
    final class BufferedWrites implements EventLog {
        /** How much is gathered before it is written. */
        private static final int BLOCK_SIZE = 8 * 1024;

        private final FileChannel channel;

        /** The buffers of all threads, so that closing can write what is in them. Synchronized on itself. */
        private final List<EventBuffer> buffers = new ArrayList<>();

        private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(this::newBuffer);

        /** The place of the next write. */
        private final AtomicLong writePos = new AtomicLong();

        BufferedWrites(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }

        private EventBuffer newBuffer() {
            EventBuffer created = new EventBuffer();
            synchronized (buffers) {
                buffers.add(created);
            }
            return created;
        }

        @Override
        public void recordEvent(Event event) {
            EventBuffer bytes = buffer.get();
            bytes.add(event);
            if (bytes.size() > BLOCK_SIZE) {
                try {
                    write(bytes);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        private void write(EventBuffer bytes) throws IOException {
            bytes.writeTo(channel, writePos.getAndAdd(bytes.size()));
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                synchronized (buffers) {
                    for (EventBuffer bytes : buffers) {
                        write(bytes);
                    }
                }
            }
        }
    }

    /** The article's {@code Buffer}: a thread assembles events here before they go anywhere. One thread at a time. */
    final class EventBuffer {
        private final Bytes bytes = new Bytes();
        private final Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8);

        /** Adds the event's line. */
        void add(Event event) {
            try {
                event.appendTo(writer);
                // so that the bytes are in the buffer
                writer.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int size() {
            return bytes.size();
        }

        void reset() {
            bytes.reset();
        }

        void writeTo(OutputStream stream) throws IOException {
            bytes.writeTo(stream);
        }

        /** Writes all of it at the position, and empties the buffer. The article trusts one write to take all. */
        void writeTo(FileChannel channel, long position) throws IOException {
            ByteBuffer left = bytes.toByteBuffer();
            long at = position;
            while (left.hasRemaining()) {
                at += channel.write(left, at);
            }
            reset();
        }

        /** The same, where the channel stands. */
        void writeTo(FileChannel channel) throws IOException {
            ByteBuffer left = bytes.toByteBuffer();
            while (left.hasRemaining()) {
                channel.write(left);
            }
            reset();
        }

        /** The article's {@code ByteArrayBuffer}: shows its bytes without a copy. */
        private static final class Bytes extends ByteArrayOutputStream {
            ByteBuffer toByteBuffer() {
                return ByteBuffer.wrap(buf, 0, count);
            }
        }
    }
}

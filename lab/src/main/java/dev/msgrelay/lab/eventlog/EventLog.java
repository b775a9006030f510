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
 * Writes events into a file, one line each: time, id and message. Any thread may record; one closes, once all others
 * are done.
 *
 * <p>Where the article prints a stack trace and goes on, these throw: a lost event is to be seen.
 */
@FunctionalInterface
interface EventLog extends AutoCloseable {
    void recordEvent(Event event) throws IOException;

    /** Writes what is not in the file yet. */
    @Override
    default void close() throws IOException {}

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

    /** One lock around everything: the event becomes text while the lock is held. */
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

    /** The event becomes bytes in a buffer of the thread's own; the lock is held for the write alone. */
    final class LockedStream implements EventLog {
        /** The final output; writes are synchronized on it. */
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
     * No lock of its own: a thread takes a place in the file by one atomic addition, and writes there. The article has
     * two classes of it: AtomicPositionWrites writes each event, BufferedWrites a block of them that the thread has
     * gathered.
     */
    final class PositionWrites implements EventLog {
        private final FileChannel channel;

        /** More bytes than these are written; 0: each event is. */
        private final int block;

        /** The buffers of all threads, so that closing can write what is in them. Synchronized on itself. */
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

        /** The article trusts one write to take all. */
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

    /** The article's {@code Buffer}: a thread assembles events here before they go anywhere. One thread at a time. */
    final class EventBuffer {
        final Bytes bytes = new Bytes();
        private final Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8);

        void add(Event event) throws IOException {
            event.appendTo(writer);
            // so that the bytes are in the buffer
            writer.flush();
        }
    }

    /** The article's {@code ByteArrayBuffer}: shows its bytes without a copy. */
    final class Bytes extends ByteArrayOutputStream {
        ByteBuffer toByteBuffer() {
            return ByteBuffer.wrap(buf, 0, count);
        }

        void copyTo(Bytes other) {
            other.write(buf, 0, count);
        }

        /** Copies so many of them, from that one on. */
        void copyTo(ByteBuffer other, int from, int length) {
            other.put(buf, from, length);
        }
    }
}

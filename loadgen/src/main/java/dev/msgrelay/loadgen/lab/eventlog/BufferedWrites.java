package dev.msgrelay.loadgen.lab.eventlog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** As {@link AtomicPositionWrites}, but a thread gathers a block of events before it writes. */
final class BufferedWrites implements EventLog {
    /** How much is gathered before it is written. */
    private static final int BLOCK_SIZE = 8 * 1024;

    private final FileChannel channel;

    /** The buffers of all threads, so that closing can write what is in them. Synchronized on itself. */
    private final List<EventBuffer> buffers = new ArrayList<>();

    private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(this::newBuffer);

    /** Where the next write is placed. */
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

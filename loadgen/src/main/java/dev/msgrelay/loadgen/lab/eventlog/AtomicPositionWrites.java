package dev.msgrelay.loadgen.lab.eventlog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** No lock of its own: a thread takes a place in the file by one atomic addition, and writes its event there. */
final class AtomicPositionWrites implements EventLog {
    private final FileChannel file;
    private final ThreadLocal<EventBuffer> buffer = ThreadLocal.withInitial(EventBuffer::new);

    /** Where the next write is placed. */
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

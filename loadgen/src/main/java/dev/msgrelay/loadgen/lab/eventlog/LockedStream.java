package dev.msgrelay.loadgen.lab.eventlog;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

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

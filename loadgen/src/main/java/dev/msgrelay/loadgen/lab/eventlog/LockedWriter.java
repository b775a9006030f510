package dev.msgrelay.loadgen.lab.eventlog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** One lock around everything: the event becomes text while the lock is held. */
final class LockedWriter implements EventLog {
    private final Writer stream;

    LockedWriter(Path file) throws IOException {
        stream = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void recordEvent(Event event) {
        try {
            EventText.append(event, stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        stream.close();
    }
}

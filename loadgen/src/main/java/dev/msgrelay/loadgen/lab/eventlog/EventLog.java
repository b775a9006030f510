package dev.msgrelay.loadgen.lab.eventlog;

import java.io.IOException;

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
}

package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.EngineLoop;
import java.util.List;

/**
 * The loops that read plain publishers and do nothing else: each publisher goes to the next of them with its first message, and
 * its runs go through the ring from then on. With none, publishers stay with the core. Owned by the core's thread.
 */
public final class ReaderLoops {
    /** A reader loop, and the way of its publishers into the order. */
    public record Reader(EngineLoop loop, IngestPort port) {}

    private final List<Reader> readers;
    private int next;

    public ReaderLoops(List<Reader> readers) {
        this.readers = List.copyOf(readers);
    }

    boolean any() {
        return !readers.isEmpty();
    }

    Reader next() {
        Reader reader = readers.get(next);
        next = (next + 1) % readers.size();
        return reader;
    }
}

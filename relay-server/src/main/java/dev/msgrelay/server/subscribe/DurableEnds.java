package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.stream.StreamHead;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The ends of the stream for subscribers that get only durable messages, and their number. Any thread. */
public final class DurableEnds {
    private final Durability durability;
    private final Executor core;
    private final AtomicIntegerArray readers = new AtomicIntegerArray(Level.values().length);

    /** @param core runs a task on the core's thread; the same cycle then calls {@link #want} */
    public DurableEnds(Durability durability, Executor core) {
        this.durability = durability;
        this.core = core;
    }

    /** Counts a subscriber of a level; returns the end of its stream. */
    StreamHead addReader(Level level) {
        readers.incrementAndGet(level.ordinal());
        // Wakes the core: this may be the first subscriber of the level.
        core.execute(() -> {});
        return level == Level.WRITTEN ? durability.written() : durability.forced();
    }

    void removeReader(Level level) {
        readers.decrementAndGet(level.ordinal());
    }

    public boolean any() {
        return has(Level.WRITTEN) || has(Level.FORCED);
    }

    /** Tells the journal for which levels subscribers wait, up to the head. On the core's thread. */
    public void want(long head) {
        if (any()) {
            durability.wantWritten(head);
        }
        if (has(Level.FORCED)) {
            durability.wantForced(head);
        }
    }

    private boolean has(Level level) {
        return readers.get(level.ordinal()) > 0;
    }
}

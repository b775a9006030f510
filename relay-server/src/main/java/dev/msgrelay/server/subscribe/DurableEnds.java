package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.stream.StreamHead;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The ends of the durable stream, and the number of subscribers that get only durable messages. Any thread. */
public final class DurableEnds {
    private final Durability durability;
    private final Executor core;
    private final AtomicIntegerArray readers = new AtomicIntegerArray(Level.values().length);

    /** @param core runs a task on the core's thread, which calls {@link #want} in the same cycle */
    public DurableEnds(Durability durability, Executor core) {
        this.durability = durability;
        this.core = core;
    }

    /** Counts a subscriber that gets messages only at this level of durability; returns the end of these messages. */
    StreamHead addReader(Level level) {
        readers.incrementAndGet(level.ordinal());
        // Wakes the core, which then calls want(), because this may be the first subscriber of the level.
        core.execute(() -> {});
        return level == Level.WRITTEN ? durability.written() : durability.forced();
    }

    void removeReader(Level level) {
        readers.decrementAndGet(level.ordinal());
    }

    public boolean any() {
        return has(Level.WRITTEN) || has(Level.FORCED);
    }

    /** Asks the journal for the levels for which subscribers wait, up to the head. On the core's thread. */
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

package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.stream.StreamHead;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The ends of the stream for subscribers that get durable messages only, and how many of them there are. Any thread. */
public final class DurableEnds {
    private final Durability durability;
    private final Executor core;
    private final AtomicIntegerArray readers = new AtomicIntegerArray(Level.values().length);

    /** @param core runs a task on its thread, and {@link #want} in the cycle after it */
    public DurableEnds(Durability durability, Executor core) {
        this.durability = durability;
        this.core = core;
    }

    /** Counts one more of a level; returns where its stream ends. */
    StreamHead join(Level level) {
        readers.incrementAndGet(level.ordinal());
        // Nobody may have wanted this level before, and the core sleeps until the stream goes on.
        core.execute(() -> {});
        return level == Level.WRITTEN ? durability.written() : durability.forced();
    }

    void leave(Level level) {
        readers.decrementAndGet(level.ordinal());
    }

    public boolean any() {
        return has(Level.WRITTEN) || has(Level.FORCED);
    }

    /** Asks the journal for what these subscribers wait for: the stream ends here. On the core's thread. */
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

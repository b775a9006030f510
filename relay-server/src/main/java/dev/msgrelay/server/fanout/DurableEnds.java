package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.log.StreamHead;
import dev.msgrelay.server.session.Durability;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Where the stream ends for subscribers that get durable messages only, and how many of them there are. Any thread. */
public final class DurableEnds {
    private final Durability durability;
    private final AtomicIntegerArray readers = new AtomicIntegerArray(Level.values().length);

    public DurableEnds(Durability durability) {
        this.durability = durability;
    }

    /** One more; answers where its stream ends. */
    StreamHead join(Level level) {
        readers.incrementAndGet(level.ordinal());
        return level == Level.WRITTEN ? durability.written() : durability.forced();
    }

    /** One less. */
    void leave(Level level) {
        readers.decrementAndGet(level.ordinal());
    }

    /** Whether there are any. */
    public boolean any() {
        return has(Level.WRITTEN) || has(Level.FORCED);
    }

    /** The stream ends here: asks for what they wait for. On the core's thread. */
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

package dev.msgrelay.server.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Sources of messages that are not read because there is no room for their bytes. They go on together, when there is plenty of
 * room: at the first free byte, the two sides would take turns at waking each other.
 *
 * <p>Sources add themselves on their own threads; the core looks after each batch.
 */
public final class HeldSources {
    /** A source of messages. */
    public interface Source {
        /** Called when there is room again. Any thread: the source goes on on its own. */
        void resume();
    }

    private final BooleanSupplier plentyOfRoom;
    private final LongSupplier clock;
    private final ConcurrentLinkedQueue<Source> waiting = new ConcurrentLinkedQueue<>();
    private final HeldTime time = new HeldTime();
    private volatile boolean any;

    /**
     * @param plentyOfRoom asked on the core's thread, and on that of a source which has just added itself
     * @param clock in nanoseconds
     */
    public HeldSources(BooleanSupplier plentyOfRoom, LongSupplier clock) {
        this.plentyOfRoom = plentyOfRoom;
        this.clock = clock;
    }

    /**
     * Holds a source back.
     *
     * @param lookAtOnce whether the room may have come back in between without anybody looking again
     */
    public void add(Source source, boolean lookAtOnce) {
        waiting.add(source);
        begin();
        if (lookAtOnce) {
            resumeIfRoom();
        }
    }

    /** Returns whether anyone waits. */
    public boolean any() {
        return any;
    }

    /** Returns how long sources were held back, since the start. Any thread. */
    public long nanos(long now) {
        return time.nanos(now);
    }

    /** Lets everyone go on if there is plenty of room. */
    public void resumeIfRoom() {
        if (any && plentyOfRoom.getAsBoolean() && end()) {
            // Taken out first: a source that finds no room again has its turn at the next look.
            List<Source> all = new ArrayList<>();
            for (Source s = waiting.poll(); s != null; s = waiting.poll()) {
                all.add(s);
            }
            all.forEach(Source::resume);
        }
    }

    /** Sets that someone waits, and since when, as one state: another thread may end the hold before in the same moment. */
    private synchronized void begin() {
        any = true;
        time.begin(clock.getAsLong());
    }

    private synchronized boolean end() {
        boolean held = any;
        any = false;
        time.end(clock.getAsLong());
        return held;
    }
}

package dev.msgrelay.server.stream;

import dev.msgrelay.server.figures.Stopwatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Sources that have messages for which there is no room at present. All are resumed together, once there is plenty of
 * room. If a source were resumed at the first free byte, it and the core would wake each other again and again.
 *
 * <p>A source adds itself on its own thread; the core resumes sources after each batch.
 */
public final class WaitingSources {
    public interface Source {
        /** Called on any thread; the source continues on its own thread. */
        void resume();
    }

    private final BooleanSupplier plentyOfRoom;
    private final LongSupplier clock;
    private final ConcurrentLinkedQueue<Source> waiting = new ConcurrentLinkedQueue<>();
    private final Stopwatch time = new Stopwatch();
    private volatile boolean any;

    /**
     * @param plentyOfRoom called on the core's thread, and on the thread of a source that has just added itself
     * @param clock in nanoseconds
     */
    public WaitingSources(BooleanSupplier plentyOfRoom, LongSupplier clock) {
        this.plentyOfRoom = plentyOfRoom;
        this.clock = clock;
    }

    /** Adds a source. With {@code lookAtOnce} also looks for room here, because the core might not look any more. */
    public void add(Source source, boolean lookAtOnce) {
        waiting.add(source);
        synchronized (this) {
            any = true;
            time.start(clock.getAsLong());
        }
        if (lookAtOnce) {
            resumeIfRoom();
        }
    }

    public boolean any() {
        return any;
    }

    /** Returns the nanoseconds during which at least one source waited. Any thread. */
    public long nanos(long now) {
        return time.nanos(now);
    }

    public void resumeIfRoom() {
        if (any && plentyOfRoom.getAsBoolean() && endWait()) {
            // Resumes only sources that wait now. A source that finds no room again waits for the next call.
            List<Source> all = new ArrayList<>();
            for (Source s = waiting.poll(); s != null; s = waiting.poll()) {
                all.add(s);
            }
            all.forEach(Source::resume);
        }
    }

    /** The lock guards flag and time together, because another thread may add a source at the same moment. */
    private synchronized boolean endWait() {
        boolean held = any;
        any = false;
        time.stop(clock.getAsLong());
        return held;
    }
}

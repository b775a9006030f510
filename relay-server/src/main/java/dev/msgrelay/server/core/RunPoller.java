package dev.msgrelay.server.core;

import java.nio.ByteBuffer;

/**
 * The ring's consumer, polled by an event loop: hands on what has gathered. What a {@code BatchEventProcessor} does on a thread
 * of its own, without the thread.
 *
 * <p>The stock {@code EventPoller} asks for the highest published sequence up to the cursor at every poll, which on a
 * full ring means to scan all of it each time. Here a run's first cell says how many there are: one look a run, and never
 * at more than a batch. Owned by the event loop's thread.
 */
public final class RunPoller {
    /** A batch ends with the run that reaches this many cells, 128 KiB: what it packs is still in the cache when it is sent. */
    public static final int MAX_CELLS = 2048;

    private final FrameRing ring;
    private final RunHandler handler;
    private final Run run = new Run();
    private boolean held;

    public RunPoller(FrameRing ring, RunHandler handler) {
        this.ring = ring;
        this.handler = handler;
    }

    /**
     * Hands over one batch of the runs that are published.
     *
     * @return whether anything was handed over
     */
    public boolean poll() {
        long first = ring.consumed().get() + 1;
        held = false;
        boolean more = ring.isPublished(first);
        if (!more) {
            return false;
        }
        ByteBuffer slab = ring.slab();
        long limit = first + MAX_CELLS;
        long next = first;
        while (more) {
            int length = ring.lengthAt(next);
            if (length == FrameRing.NOTHING) {
                next++;
            } else if (handler.makeReady()) {
                run.wrap(slab, ring.cellOffset(next) + FrameRing.HEADER_BYTES, length, ring.eachAt(next));
                handler.onEvent(run);
                next += FrameRing.cellsOf(length);
            } else {
                held = true;
                break;
            }
            more = next < limit && ring.isPublished(next);
        }
        if (next == first) {
            return false;
        }
        // Once a batch: this is what producers wait for, and every store of it takes the line from them.
        ring.consumed().set(next - 1);
        return true;
    }

    /** Whether the last poll left a run in the ring that the handler could not take. */
    public boolean held() {
        return held;
    }
}

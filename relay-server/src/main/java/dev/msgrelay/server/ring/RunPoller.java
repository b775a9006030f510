package dev.msgrelay.server.ring;

import java.nio.ByteBuffer;

/**
 * The ring's consumer, polled by an event loop: hands on what has gathered, and says with {@code endOfBatch} when there
 * is no more. What a {@code BatchEventProcessor} does on a thread of its own, without the thread.
 *
 * <p>The stock {@code EventPoller} asks for the highest published sequence up to the cursor at every poll, which on a
 * full ring means to scan all of it each time; here the look ahead is bounded. Owned by the event loop's thread.
 */
public final class RunPoller {
    /** Cells looked at and handed over in one batch at most, unless a single run is longer: 128 KiB. */
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
        long available = ring.highestPublished(first, MAX_CELLS);
        held = false;
        if (available < first) {
            return false;
        }
        ByteBuffer slab = ring.slab();
        long next = first;
        int cells = cellsAt(next);
        if (cells > MAX_CELLS) {
            // One run longer than the look ahead: it is a batch of its own, or it would wait for ever.
            available = ring.highestPublished(first, cells);
        }
        while (next + cells - 1 <= available) {
            int length = ring.lengthAt(next);
            boolean borrowed = length == FrameRing.BORROWED_RUN;
            int bytes = borrowed ? ring.borrowedLength() : length;
            // A lent run is taken in any case: its producer has asked before, and uses the memory anew right after.
            if (length > FrameRing.NOTHING && !handler.canTake()) {
                held = true;
                break;
            }
            long after = next + cells;
            // A claim that is only partly published or lies beyond the bound waits for the next batch.
            int cellsAfter = after <= available ? cellsAt(after) : 1;
            boolean endOfBatch = after + cellsAfter - 1 > available;
            if (bytes == FrameRing.NOTHING) {
                run.wrap(slab, 0, 0, null, 0);
            } else if (borrowed) {
                run.wrap(ring.borrowed(), ring.borrowedOffset(), bytes, ring.borrowedScan(), 0);
            } else {
                run.wrap(slab, ring.cellOffset(next) + FrameRing.HEADER_BYTES, bytes, null, ring.eachAt(next));
            }
            handler.onEvent(run, next, endOfBatch);
            next = after;
            cells = cellsAfter;
        }
        if (next == first) {
            return false;
        }
        if (held) {
            // The batch ended before its end: let go of what was taken.
            handler.onEvent(run.wrap(slab, 0, 0, null, 0), next - 1, true);
        }
        // Once a batch: this is what producers wait for, and every store of it takes the line from them.
        ring.consumed().set(next - 1);
        return true;
    }

    /** Whether the last poll left a run in the ring that the handler could not take. */
    public boolean held() {
        return held;
    }

    private int cellsAt(long sequence) {
        int length = ring.lengthAt(sequence);
        return length > 0 ? FrameRing.cellsOf(length) : 1;
    }
}

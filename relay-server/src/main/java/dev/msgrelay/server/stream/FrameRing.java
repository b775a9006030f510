package dev.msgrelay.server.stream;

import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.MultiProducerSequencer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import dev.msgrelay.server.memory.Bytes;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The ring between producers and the core: a Disruptor whose sequences count <em>cells</em> of 64 bytes of direct
 * memory.
 *
 * <p>A run is one small message, or all messages that a read brought. A producer claims as many cells as its run needs,
 * copies the run there and publishes it. None of this makes an object. A run that starts in the last cell goes on in
 * the spare tail, so that it stays in one piece.
 *
 * <pre>
 *  cell  0        1        2        3                     cells-1 | spare tail: longest run
 *       +--------+--------+--------+--------+- - -+--------+--------+- - - - - - - -+
 *       |l|e|run ...       ... run |l|e|run |     |l|e|run ...    ... run |         |
 *       +--------+--------+--------+--------+- - -+--------+--------+- - - - - - - -+
 *        l, 4 bytes: length of the run; 0: skip the cell
 *        e, 4 bytes: length of each of its frames if they are known to be valid and alike, else 0
 * </pre>
 *
 * <p>The consumer is an event loop. It polls the ring, and sleeps in its selector until a publish wakes it. The
 * Disruptor's own {@code EventPoller} looks for the highest published sequence at every poll; when the ring is full,
 * that is a scan of all cells. Here a run's first cell has the run's length, so only one cell of each run is looked at.
 *
 * <p>Threads: any number of producers; one consumer.
 */
public final class FrameRing {
    /**
     * The receiver of runs, like the Disruptor's {@code EventPoller.Handler}. While the receiver has no room, runs stay
     * in the ring or in a {@link RunStage}. {@link NetworkBatchHandler} receives the runs of a single relay, an {@link
     * Orderer} those of a cluster.
     */
    public interface Handler {
        /** Returns whether there is room for one more run. Publishers wait while there is none. */
        boolean hasRoom();

        /**
         * Takes a run, which is not empty. Called only after {@link #hasRoom} has returned true.
         *
         * @param buffer in the machine's own byte order; valid during the call only
         * @param frameLength bytes of each frame of the run, if the producer found all frames to be valid and of one
         *     length; otherwise 0
         */
        void onEvent(ByteBuffer buffer, int offset, int length, int frameLength);
    }

    /** Bytes of a cell. A cell is one cache line, so that two producers never write to the same cache line. */
    public static final int CELL_BYTES = 64;

    /** Result of {@link #tryClaim}: the run does not fit at present. */
    public static final long REFUSED = -1;

    /** Most cells that one poll takes. Their 128 KiB are still in the processor's cache when they are sent. */
    static final int MAX_CELLS = 2048;

    private static final int NOTHING = 0;
    static final int HEADER_BYTES = 2 * Integer.BYTES;
    private static final int EACH_OFFSET = Integer.BYTES;
    private static final int CELL_SHIFT = 6;

    private final ByteBuffer slab;
    private final MultiProducerSequencer sequencer;
    private final Sequence consumed = new Sequence();
    private final int mask;
    private final int maxRun;
    private boolean refused;

    /**
     * @param cells number of cells, a power of two
     * @param maxRun longest run in bytes, up to half of the ring, so that a retry succeeds sooner or later
     * @param memory direct memory of at least {@link #slabBytes} bytes; the caller keeps its ownership
     * @param wakeup run after every publish, when the run is visible to the consumer
     */
    public FrameRing(int cells, int maxRun, ByteBuf memory, Runnable wakeup) {
        if (Integer.bitCount(cells) != 1) {
            throw new IllegalArgumentException("cells " + cells + " is not a power of two");
        }
        if (cellsOf(maxRun) > cells / 2) {
            throw new IllegalArgumentException("longest run of " + maxRun + " bytes is over half of the ring's "
                    + ((long) cells * CELL_BYTES) + " bytes");
        }
        this.slab = Bytes.view(memory, slabBytes(cells, maxRun));
        this.sequencer = new MultiProducerSequencer(cells, new Wakeup(wakeup));
        this.sequencer.addGatingSequences(consumed);
        this.mask = cells - 1;
        this.maxRun = maxRun;
    }

    public static int slabBytes(int cells, int maxRun) {
        return cells * CELL_BYTES + cellsOf(maxRun) * CELL_BYTES;
    }

    public static int cellsOf(int length) {
        return (HEADER_BYTES + length + CELL_BYTES - 1) >>> CELL_SHIFT;
    }

    public int maxRun() {
        return maxRun;
    }

    public int cells() {
        return mask + 1;
    }

    /**
     * Claims room for a run of 1..maxRun bytes. Never waits.
     *
     * @return the first cell's sequence, for {@link #put} and {@link #publish}; or {@link #REFUSED}
     */
    public long tryClaim(int length) {
        if (length <= 0 || length > maxRun) {
            throw new IllegalArgumentException("run of " + length + " bytes is not within 1.." + maxRun);
        }
        int n = cellsOf(length);
        // Checked first, because for a full ring tryNext throws an exception, which costs more than this check.
        if (!sequencer.hasAvailableCapacity(n)) {
            return REFUSED;
        }
        try {
            return sequencer.tryNext(n) - n + 1;
        } catch (InsufficientCapacityException full) {
            return REFUSED;
        }
    }

    public void put(long claim, int at, ByteBuffer source, int offset, int length) {
        slab.put(cellOffset(claim) + HEADER_BYTES + at, source, offset, length);
    }

    public void putHeader(long claim, int at, int type, int bodyLength) {
        int offset = cellOffset(claim) + HEADER_BYTES + at;
        slab.putInt(offset, Bytes.bigEndian(type));
        slab.putInt(offset + Integer.BYTES, Bytes.bigEndian(bodyLength));
    }

    /**
     * Makes a claimed run visible to the consumer, and wakes the consumer.
     *
     * @param each bytes of each frame of the run, if all are known to be valid and of one length; otherwise 0
     */
    public void publish(long claim, int length, int each) {
        int cell = cellOffset(claim);
        slab.putInt(cell, length);
        slab.putInt(cell + EACH_OFFSET, each);
        // Only the run's first cell is marked as published. To mark and check all cells would cost more than the copy.
        sequencer.publish(claim);
    }

    public void abandon(long claim, int length) {
        long last = claim + cellsOf(length) - 1;
        for (long cell = claim; cell <= last; cell++) {
            slab.putInt(cellOffset(cell), NOTHING);
        }
        sequencer.publish(claim, last);
    }

    void scan(long claim, int length, RunScan scan) {
        scan.scan(slab, cellOffset(claim) + HEADER_BYTES, length, 0);
    }

    /** Returns whether everything claimed so far has been consumed. */
    public boolean isEmpty() {
        return sequencer.getCursor() == consumed.get();
    }

    /**
     * Returns whether the consumer would find a run. A claim that is not published yet hides the runs after it. The
     * consumer must not spin until that claim is published: the producer may need the consumer's processor.
     */
    public boolean hasNext() {
        return sequencer.isAvailable(consumed.get() + 1);
    }

    public boolean hasRoom(int length) {
        return sequencer.hasAvailableCapacity(cellsOf(length));
    }

    public long remainingCells() {
        return sequencer.remainingCapacity();
    }

    Sequence consumed() {
        return consumed;
    }

    /**
     * Hands one batch of the published runs to the handler; returns whether the handler took any. On the consumer's
     * thread.
     */
    boolean poll(Handler handler) {
        long first = consumed.get() + 1;
        long limit = first + MAX_CELLS;
        long next = first;
        refused = false;
        while (next < limit && sequencer.isAvailable(next)) {
            int cell = cellOffset(next);
            int length = slab.getInt(cell);
            if (length == NOTHING) {
                next++;
            } else if (handler.hasRoom()) {
                handler.onEvent(slab, cell + HEADER_BYTES, length, slab.getInt(cell + EACH_OFFSET));
                next += cellsOf(length);
            } else {
                refused = true;
                break;
            }
        }
        if (next == first) {
            return false;
        }
        // Stored once for all runs, because after each store the producers have to load the cache line again.
        consumed.set(next - 1);
        return true;
    }

    /** Returns whether the last {@link #poll} ended with a run for which the handler had no room. */
    boolean refused() {
        return refused;
    }

    private int cellOffset(long sequence) {
        return ((int) sequence & mask) << CELL_SHIFT;
    }

    private record Wakeup(Runnable wakeup) implements WaitStrategy {
        @Override
        public void signalAllWhenBlocking() {
            // The publish must be visible before the consumer's flag is read. Otherwise the consumer might fall asleep
            // at that moment, and not be woken.
            VarHandle.fullFence();
            wakeup.run();
        }

        @Override
        public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
            throw new UnsupportedOperationException("the ring is polled by an event loop, nobody waits on it");
        }
    }
}

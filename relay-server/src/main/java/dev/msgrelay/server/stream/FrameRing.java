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
 * The ring: a Disruptor of many producers, whose sequences number <em>cells</em> of 64 bytes of one direct slab.
 *
 * <p>A producer claims as many cells as its run needs, copies the run and publishes it: one small message, or all that
 * a read brought, without an object. A spare tail, as long as the longest run, keeps a run in one piece that starts in
 * the last cell.
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
 * <p>The consumer is an event loop, which never waits on the ring: it polls, sleeps in its selector, and a publish
 * wakes it. The Disruptor's own {@code EventPoller} asks at every poll for the highest published sequence, and scans a
 * full ring for it. Here a run's first cell says how many cells the run has: one look a run.
 *
 * <p>Threads: any number of producers; one consumer.
 */
public final class FrameRing {
    /**
     * The receiver of runs, as the Disruptor's {@code EventPoller.Handler}. It may refuse for a while: runs then stay
     * in the ring, or in their stage. {@link NetworkBatchHandler} makes the order of one relay, an {@link Orderer} that
     * of several.
     */
    public interface Handler {
        /** Whether the handler has room for one more run. If not, publishers wait until it has. */
        boolean hasRoom();

        /**
         * Takes a run, which is not empty; only if {@link #hasRoom}.
         *
         * @param buffer in the machine's own byte order; its bytes are valid during the call
         * @param frameLength bytes of each of the run's frames if the producer found them valid and alike; otherwise 0
         */
        void onEvent(ByteBuffer buffer, int offset, int length, int frameLength);
    }

    /** Bytes of a cell: a cache line, so that two producers never write to the same one. */
    public static final int CELL_BYTES = 64;

    /** Result of {@link #tryClaim}: the run does not fit at present. */
    public static final long REFUSED = -1;

    /**
     * Cells of a batch, 128 KiB, and the run that reaches them: what is packed is in the cache still when it is sent.
     */
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
     * @param maxRun longest run in bytes, at most half of the ring so that it can always be claimed in the end
     * @param memory direct memory of at least {@link #slabBytes} bytes; the caller keeps its ownership
     * @param wakeup run after every publish, which it finds visible
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

    /** Bytes of the ring's direct memory. */
    public static int slabBytes(int cells, int maxRun) {
        return cells * CELL_BYTES + cellsOf(maxRun) * CELL_BYTES;
    }

    /** Cells that a run of {@code length} bytes takes. */
    public static int cellsOf(int length) {
        return (HEADER_BYTES + length + CELL_BYTES - 1) >>> CELL_SHIFT;
    }

    /** Longest run in bytes that can be claimed. */
    public int maxRun() {
        return maxRun;
    }

    public int cells() {
        return mask + 1;
    }

    /**
     * Claims room for a run. Never waits.
     *
     * @param length bytes of the run, 1..maxRun
     * @return the first cell's sequence, to be given to {@link #put} and {@link #publish}; or {@link #REFUSED}
     */
    public long tryClaim(int length) {
        if (length <= 0 || length > maxRun) {
            throw new IllegalArgumentException("run of " + length + " bytes is not within 1.." + maxRun);
        }
        int n = cellsOf(length);
        // A look first: to unwind the exception of tryNext costs more.
        if (!sequencer.hasAvailableCapacity(n)) {
            return REFUSED;
        }
        try {
            return sequencer.tryNext(n) - n + 1;
        } catch (InsufficientCapacityException full) {
            return REFUSED;
        }
    }

    /** Copies {@code length} bytes of {@code source} to {@code at} of a claimed run. */
    public void put(long claim, int at, ByteBuffer source, int offset, int length) {
        slab.put(cellOffset(claim) + HEADER_BYTES + at, source, offset, length);
    }

    /** Writes a frame's header at {@code at} of a claimed run. */
    public void putHeader(long claim, int at, int type, int bodyLength) {
        int offset = cellOffset(claim) + HEADER_BYTES + at;
        slab.putInt(offset, Bytes.bigEndian(type));
        slab.putInt(offset + Integer.BYTES, Bytes.bigEndian(bodyLength));
    }

    /**
     * Makes a claimed run visible to the consumer, and wakes it.
     *
     * @param each bytes of each frame of the run if they are known to be valid and alike; otherwise 0
     */
    public void publish(long claim, int length, int each) {
        int cell = cellOffset(claim);
        slab.putInt(cell, length);
        slab.putInt(cell + EACH_OFFSET, each);
        // The first cell alone: to mark and ask for each cell costs both sides more than to copy it.
        sequencer.publish(claim);
    }

    /** Gives a claim back: the consumer skips its cells. */
    public void abandon(long claim, int length) {
        long last = claim + cellsOf(length) - 1;
        for (long cell = claim; cell <= last; cell++) {
            slab.putInt(cellOffset(cell), NOTHING);
        }
        sequencer.publish(claim, last);
    }

    /** Walks a claimed run where it lies in the ring. */
    void scan(long claim, int length, RunScan scan) {
        scan.scan(slab, cellOffset(claim) + HEADER_BYTES, length, 0);
    }

    /** Whether everything claimed so far has been consumed. */
    public boolean isEmpty() {
        return sequencer.getCursor() == consumed.get();
    }

    /**
     * Whether the consumer would find a run. A claim that is not published hides the runs behind it: a consumer that
     * spins may keep its producer from a processor.
     */
    public boolean hasNext() {
        return sequencer.isAvailable(consumed.get() + 1);
    }

    /** Whether a run of {@code length} bytes could be claimed at present. */
    public boolean hasRoom(int length) {
        return sequencer.hasAvailableCapacity(cellsOf(length));
    }

    /** Cells that are free at present. */
    public long remainingCells() {
        return sequencer.remainingCapacity();
    }

    Sequence consumed() {
        return consumed;
    }

    /** Hands one batch of the published runs to the handler; returns whether it took any. The consumer's thread. */
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
        // Once a batch: each store takes the cache line from the producers, which wait for this.
        consumed.set(next - 1);
        return true;
    }

    /** Whether the last {@link #poll} ended with a run that the handler had no room for. */
    boolean refused() {
        return refused;
    }

    private int cellOffset(long sequence) {
        return ((int) sequence & mask) << CELL_SHIFT;
    }

    private record Wakeup(Runnable wakeup) implements WaitStrategy {
        @Override
        public void signalAllWhenBlocking() {
            // The publish must be visible before the consumer's flag is read, or both sides could miss each other.
            VarHandle.fullFence();
            wakeup.run();
        }

        @Override
        public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
            throw new UnsupportedOperationException("the ring is polled by an event loop, nobody waits on it");
        }
    }
}

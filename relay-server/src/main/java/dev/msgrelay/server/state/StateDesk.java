package dev.msgrelay.server.state;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where readers ask for the state. A reader borrows a buffer, and asks; the core fills the buffer, one reader's in each
 * cycle, in the order in which they have asked; and the reader writes it to its socket. So a walk costs the core a
 * bounded time in each cycle, and a reader that is slow has no memory of the index.
 *
 * <p>Any thread, except where a method says otherwise. A lock guards the buffers: it is taken twice for a batch.
 */
public final class StateDesk {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Bytes of a batch, unless one message is longer. */
    static final int BATCH_BYTES = 64 << 10;

    /** Most batches that are filled, or on their way to sockets. */
    private static final int MOST_BATCHES = 64;

    private static final int MOST_FREE = 8;

    private final StateIndex index;
    private final Executor core;
    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final LongSupplier clock;

    // The core's.
    private final ArrayDeque<Walk> line = new ArrayDeque<>();
    private boolean warned;

    private final ArrayDeque<ByteBuf> free = new ArrayDeque<>();
    private int lent;
    private boolean longIsLent;
    private volatile long waitingSince = WindowGate.NEVER;

    /** Returns the most bytes of all buffers together: one of them may have the longest message. */
    public static long bufferBytes(int maxBody) {
        return (long) MOST_BATCHES * BATCH_BYTES + GapFrame.FRAME_LENGTH + FrameLayout.frameLength(maxBody);
    }

    /**
     * @param core runs a task on the core's thread
     * @param pool {@link #bufferBytes} bytes
     * @param clock in nanoseconds
     */
    public StateDesk(
            StateIndex index, Executor core, ByteBufAllocator allocator, MemoryBudget.Pool pool, LongSupplier clock) {
        this.index = index;
        this.core = core;
        this.allocator = allocator;
        this.pool = pool;
        this.clock = clock;
    }

    // ---- the reader's thread -----------------------------------------------------------------------------------

    /** Returns whether the index has all types of a set. */
    public boolean has(TypeRanges asked) {
        return index.has(asked);
    }

    /** The types that the index has. */
    public TypeRanges kept() {
        return index.kept();
    }

    /**
     * Asks for the next batch of a walk.
     *
     * @return false if all memory for batches is in use: the reader asks again later
     */
    public boolean ask(Walk walk) {
        ByteBuf memory = take(walk.needed);
        if (memory == null) {
            return false;
        }
        walk.lend(memory);
        onCore(() -> line.addLast(walk), () -> giveBack(walk));
        return true;
    }

    /** Gives the buffer of a batch back. */
    public void giveBack(Walk walk) {
        ByteBuf memory = walk.takeBuffer();
        if (memory != null) {
            giveBack(memory);
        }
    }

    /** Ends a walk, which may have been asked for and not answered. It is not answered any more, or once. */
    public void end(Walk walk) {
        onCore(
                () -> {
                    if (line.remove(walk)) {
                        giveBack(walk);
                    }
                    index.leave(walk);
                },
                () -> {});
    }

    private void onCore(Runnable task, Runnable otherwise) {
        try {
            core.execute(task);
        } catch (RejectedExecutionException e) {
            // The core has ended, and nothing is sent any more.
            otherwise.run();
        }
    }

    /** Returns since when readers have waited for memory that others have; or {@link WindowGate#NEVER}. */
    public long waitingSince() {
        return waitingSince;
    }

    // ---- memory ------------------------------------------------------------------------------------------------

    private synchronized ByteBuf take(int needed) {
        boolean isLong = needed > BATCH_BYTES;
        if (isLong ? longIsLent : lent == MOST_BATCHES) {
            if (waitingSince == WindowGate.NEVER) {
                waitingSince = clock.getAsLong();
            }
            return null;
        }
        ByteBuf memory = isLong || free.isEmpty() ? allocate(Math.max(needed, BATCH_BYTES)) : free.pollFirst();
        longIsLent |= isLong;
        lent += isLong ? 0 : 1;
        return memory;
    }

    private ByteBuf allocate(int bytes) {
        if (!pool.tryTake(bytes)) {
            throw new IllegalStateException("batches of the state take more than the " + pool.limit()
                    + " bytes that are planned for them: " + bytes + " and " + pool.used());
        }
        return pool.allocate(bytes, () -> allocator.directBuffer(bytes, bytes));
    }

    private synchronized void giveBack(ByteBuf memory) {
        waitingSince = WindowGate.NEVER;
        boolean isLong = memory.capacity() > BATCH_BYTES;
        longIsLent &= !isLong;
        lent -= isLong ? 0 : 1;
        if (!isLong && free.size() < MOST_FREE && memory.refCnt() == 1) {
            free.addFirst(memory);
        } else {
            // If a write still points into the buffer, the memory is freed when that write ends.
            pool.giveBack(memory.capacity());
            memory.release();
        }
    }

    /** Gives all memory back; only after the loops have ended. */
    public synchronized void close() {
        line.forEach(this::giveBack);
        line.clear();
        for (ByteBuf memory : free) {
            pool.giveBack(memory.capacity());
            memory.release();
        }
        free.clear();
    }

    // ---- the core's thread -------------------------------------------------------------------------------------

    /**
     * Fills the batch of the reader that has waited longest. Called when the head has reached the log's end.
     *
     * @return whether more readers wait
     */
    public boolean serve() {
        Walk walk = line.pollFirst();
        if (walk == null) {
            return false;
        }
        index.fill(walk);
        try {
            walk.answer();
        } catch (RejectedExecutionException e) {
            // The reader's loop has ended.
            giveBack(walk);
        }
        return !line.isEmpty();
    }

    /** Makes the figures visible, and warns once if types were forgotten. Called a few times a second. */
    public void tick() {
        index.takeFigures();
        StateIndex.Figures now = index.figures();
        if (now.forgotten() > 0 && !warned) {
            warned = true;
            LOG.warn(
                    "the state is full: its {} bytes have {} types, and the oldest ones are forgotten, up to message {}"
                            + " now; a larger --state keeps more, and --state-types keeps others out",
                    index.size(),
                    now.types(),
                    Math.max(now.forgottenValue(), now.forgottenTombstone()));
        }
    }

    public StateIndex.Figures figures() {
        return index.figures();
    }
}

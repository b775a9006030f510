package dev.msgrelay.server.state;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.state.Walk.Batch;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where readers ask for the state. A reader asks, and is lent a buffer when one is free; the core fills the buffer, one
 * reader's in each cycle, in the order in which they were lent; and the reader writes it to its socket. So a walk costs
 * the core a bounded time in each cycle, and a reader that is slow has no memory of the index.
 *
 * <pre>
 *   ask --> Buffers, a line while all are lent --> the core's line --> fill --> answer --> written --> giveBack
 * </pre>
 *
 * <p>Readers with an interval are together in a {@link CommonWalk}, whose batches are filled once for all of them.
 *
 * <p>Any thread, except where a method says otherwise. A lock guards the buffers: it is taken twice for a batch.
 */
public final class StateDesk {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Bytes of a batch, unless one message is longer. */
    static final int BATCH_BYTES = 64 << 10;

    /** Most batches that are filled, or on their way to sockets. */
    private static final int MOST_BATCHES = 64;

    /** Most buffers that are kept while nobody has them. */
    static final int MOST_FREE = 8;

    private final StateIndex index;
    private final Executor core;
    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final LongSupplier clock;
    private final int batchBytes;
    // Most batches that are kept for readers of common walks. The others are left for those that walk alone.
    private final int mostKept;

    // The core's.
    private final ArrayDeque<Walk> line = new ArrayDeque<>();
    private final Map<CommonWalk.Key, CommonWalk> walks = new HashMap<>();
    private final Map<Walk, CommonWalk> together = new HashMap<>();
    private final ArrayDeque<Batch> kept = new ArrayDeque<>();
    private boolean warned;

    private final ArrayDeque<ByteBuf> free = new ArrayDeque<>();
    private final Buffers usual;
    private final Buffers longest = new Buffers(1);

    /** Buffers of one kind: how many are lent, and the walks that wait for one. */
    private static final class Buffers {
        final int most;
        final ArrayDeque<Walk> waiting = new ArrayDeque<>();
        int lent;
        volatile long since = WindowGate.NEVER;

        Buffers(int most) {
            this.most = most;
        }
    }

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
        this(index, core, allocator, pool, clock, BATCH_BYTES, MOST_BATCHES);
    }

    StateDesk(
            StateIndex index,
            Executor core,
            ByteBufAllocator allocator,
            MemoryBudget.Pool pool,
            LongSupplier clock,
            int batchBytes,
            int mostBatches) {
        this.index = index;
        this.core = core;
        this.allocator = allocator;
        this.pool = pool;
        this.clock = clock;
        this.batchBytes = batchBytes;
        this.mostKept = mostBatches / 2;
        this.usual = new Buffers(mostBatches);
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

    /** Asks for the next batch of a walk. While all buffers are lent, the walk waits in a line for the next one. */
    public void ask(Walk walk) {
        if (walk.isSociable()) {
            onCore(() -> askTogether(walk), () -> {});
        } else {
            askAlone(walk);
        }
    }

    synchronized void askAlone(Walk walk) {
        Buffers its = buffers(walk.needed);
        if (its.lent < its.most) {
            lend(walk, its);
            return;
        }
        if (its.waiting.isEmpty()) {
            its.since = clock.getAsLong();
        }
        its.waiting.addLast(walk);
    }

    /** Gives the buffer of a batch back, and lends it to the first walk in the line. */
    public synchronized void giveBack(Walk walk) {
        lendAgain(takeBack(walk));
    }

    private void lendAgain(Buffers from) {
        if (from != null && !from.waiting.isEmpty()) {
            Walk next = from.waiting.pollFirst();
            changedFirst(from);
            lend(next, from);
        }
    }

    /** Ends a walk, which may have been asked for and not answered. It is not answered any more, or once. */
    public void end(Walk walk) {
        onCore(
                () -> {
                    leaveLine(walk);
                    if (line.remove(walk)) {
                        giveBack(walk);
                    }
                    // If a buffer was lent just now, the walk is still on its way to the core's line.
                    walk.over = true;
                    index.leave(walk);
                    leaveOthers(walk);
                },
                () -> {});
    }

    /** Returns since when the first walk in the line for a buffer that this walk has been lent has been the first. */
    public long waitingSince(Walk lent) {
        return buffers(lent.lentBytes()).since;
    }

    private void onCore(Runnable task, Runnable otherwise) {
        try {
            core.execute(task);
        } catch (RejectedExecutionException e) {
            // The core has ended, and nothing is sent any more.
            otherwise.run();
        }
    }

    // ---- memory ------------------------------------------------------------------------------------------------

    private Buffers buffers(int bytes) {
        return bytes > batchBytes ? longest : usual;
    }

    /**
     * Lends a buffer. The lock is still held when the core is told, so that the core learns of the walk's end later.
     */
    private void lend(Walk walk, Buffers from) {
        boolean isNew = from == longest || free.isEmpty();
        walk.lend(isNew ? allocate(Math.max(walk.needed, batchBytes)) : free.pollFirst());
        from.lent++;
        onCore(() -> line.addLast(walk), () -> takeBack(walk));
    }

    // If the core has the walk, the walk is in none of the lines, whatever it needs.
    private synchronized void leaveLine(Walk walk) {
        Buffers its = buffers(walk.needed);
        boolean first = its.waiting.peekFirst() == walk;
        if (its.waiting.remove(walk) && first) {
            changedFirst(its);
        }
    }

    private void changedFirst(Buffers its) {
        its.since = its.waiting.isEmpty() ? WindowGate.NEVER : clock.getAsLong();
    }

    private ByteBuf allocate(int bytes) {
        if (!pool.tryTake(bytes)) {
            throw new IllegalStateException("batches of the state take more than the " + pool.limit()
                    + " bytes that are planned for them: " + bytes + " and " + pool.used());
        }
        return pool.allocate(bytes, () -> allocator.directBuffer(bytes, bytes));
    }

    /** Takes the buffer of a walk back; returns of which kind it was, or null if the walk has none for itself. */
    private Buffers takeBack(Walk walk) {
        Batch shared = walk.takeShared();
        if (shared != null) {
            return --shared.holders == 0 ? takeBack(shared.memory) : null;
        }
        ByteBuf memory = walk.takeBuffer();
        return memory == null ? null : takeBack(memory);
    }

    private Buffers takeBack(ByteBuf memory) {
        Buffers its = buffers(memory.capacity());
        its.lent--;
        if (its == usual && free.size() < MOST_FREE && memory.refCnt() == 1) {
            free.addFirst(memory);
        } else {
            // If a write still points into the buffer, the memory is freed when that write ends.
            pool.giveBack(memory.capacity());
            memory.release();
        }
        return its;
    }

    /** Gives all memory back; only after the loops have ended. */
    public synchronized void close() {
        line.forEach(this::takeBack);
        line.clear();
        kept.forEach(batch -> takeBack(batch.memory));
        kept.clear();
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
        if (walk.over) {
            giveBack(walk);
            return !line.isEmpty();
        }
        index.fill(walk);
        moved(walk);
        answer(walk);
        return !line.isEmpty();
    }

    private void moved(Walk walk) {
        CommonWalk common = together.get(walk);
        if (common != null) {
            common.moved(walk);
        }
    }

    private void answer(Walk walk) {
        try {
            walk.answer();
        } catch (RejectedExecutionException e) {
            // The reader's loop has ended.
            giveBack(walk);
        }
    }

    /** Has a reader walk together with others, if it can. It may have other types than when it joined them. */
    void askTogether(Walk walk) {
        CommonWalk common = together.get(walk);
        if (common == null || !common.key.types().equals(walk.types())) {
            leaveOthers(walk);
            CommonWalk.Key its = new CommonWalk.Key(walk.intervalNanos(), walk.types());
            common = walks.computeIfAbsent(its, key -> new CommonWalk(key, this));
            common.join(walk);
            together.put(walk, common);
        }
        if (!common.serve(walk)) {
            askAlone(walk);
        }
    }

    private void leaveOthers(Walk walk) {
        CommonWalk common = together.remove(walk);
        if (common != null && common.leave(walk)) {
            walks.remove(common.key);
            common.letGo();
            common.walk.over = true;
            leaveLine(common.walk);
            leave(common.walk);
        }
    }

    /** Forgets a walk's place in the index. */
    void leave(Walk walk) {
        index.leave(walk);
    }

    /** Returns the last tick of an interval. */
    long tickOf(long intervalNanos) {
        return Math.floorDiv(clock.getAsLong(), intervalNanos);
    }

    void readHead(Mark head) {
        index.readHead(head);
    }

    void give(Walk reader, Batch batch) {
        synchronized (this) {
            batch.holders++;
        }
        // Its own place, if it has walked alone so far.
        index.leave(reader);
        reader.take(batch);
        moved(reader);
        answer(reader);
    }

    /**
     * Keeps a batch for readers that come to it later, in place of the oldest one if there are too many; returns false
     * if it is so long that others wait for its memory.
     */
    boolean keep(Batch batch) {
        boolean keeps = buffers(batch.memory.capacity()) == usual;
        if (keeps) {
            kept.addLast(batch);
            if (kept.size() > mostKept) {
                Batch oldest = kept.pollFirst();
                oldest.owner.accept(oldest);
            }
        }
        return keeps;
    }

    /** Returns whether a common walk may ask for a batch that no reader waits for. */
    boolean mayRunAhead() {
        return kept.size() < mostKept;
    }

    void letGo(Batch batch) {
        kept.remove(batch);
        synchronized (this) {
            if (--batch.holders == 0) {
                lendAgain(takeBack(batch.memory));
            }
        }
    }

    /** Makes the figures visible, and warns once if types were forgotten. Called a few times a second. */
    public void tick() {
        index.takeFigures();
        walks.values().forEach(CommonWalk::tidy);
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

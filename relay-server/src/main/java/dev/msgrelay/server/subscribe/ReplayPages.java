package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Memory for the journal's bytes: one page for each subscriber that is sent the journal. When all memory is in use,
 * subscribers wait in a line, and the first one gets the next page that is given back. A subscriber that keeps a page
 * but reads nothing holds up the line, see {@link #waitingSince}. Subscribers before WELCOME have a line of their own,
 * and get every second page, because their clients give up early.
 *
 * <p>Any thread, with a lock that is taken only when a page is taken or given back.
 */
public final class ReplayPages {
    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final Counters counters;
    private final LongSupplier clock;
    // A buffer for the journal's index records. All subscribers share it, because one thread reads for all of them.
    final ByteBuffer records = ByteBuffer.allocateDirect(BlockReader.RECORD_BYTES);
    private final ArrayDeque<Chunk> free = new ArrayDeque<>();
    private final ArrayDeque<Object> starts = new ArrayDeque<>();
    private final ArrayDeque<Object> line = new ArrayDeque<>();
    // Whether the last page went to a subscriber before WELCOME.
    private boolean startBefore;
    private int readers;
    private volatile long since = WindowGate.NEVER;

    public ReplayPages(ByteBufAllocator allocator, MemoryBudget.Pool pool, Counters counters, LongSupplier clock) {
        this.allocator = allocator;
        this.pool = pool;
        this.counters = counters;
        this.clock = clock;
    }

    /**
     * Returns a page of {@code bytes} or more. Returns null if there is none: {@code who} then waits in the line until
     * it gets a page, or leaves the line.
     *
     * @param starting whether {@code who} is not welcomed yet
     */
    synchronized Chunk acquire(Object who, long bytes, boolean starting) {
        if (nobodyWaits() || isFirst(who)) {
            Chunk page = page(bytes);
            if (page != null) {
                leaveLine(who);
                startBefore = starting;
                return page;
            }
        }
        ArrayDeque<Object> its = starting ? starts : line;
        if (!its.contains(who)) {
            counters.increment(Counter.JOURNAL_REPLAY_WAITS);
            if (nobodyWaits()) {
                since = clock.getAsLong();
            }
            its.addLast(who);
        }
        return null;
    }

    private boolean nobodyWaits() {
        return starts.isEmpty() && line.isEmpty();
    }

    private boolean isFirst(Object who) {
        return (starts.isEmpty() || startBefore && !line.isEmpty() ? line : starts).peekFirst() == who;
    }

    private Chunk page(long bytes) {
        if (bytes <= BlockReader.PAGE_BYTES) {
            return free.isEmpty() ? newPage(BlockReader.PAGE_BYTES) : free.pollFirst();
        }
        Chunk page = newPage((int) bytes);
        if (page == null) {
            close();
            page = newPage((int) bytes);
        }
        return page;
    }

    private Chunk newPage(int bytes) {
        return pool.tryTake(bytes)
                ? pool.allocate(bytes, () -> Chunk.outside(allocator.directBuffer(bytes, bytes)))
                : null;
    }

    long most() {
        return pool.limit();
    }

    synchronized void giveBack(Chunk page) {
        int bytes = page.memory().capacity();
        if (bytes == BlockReader.PAGE_BYTES && page.memory().refCnt() == 1 && readers > 0) {
            free.addFirst(page);
        } else {
            // If a write in flight points into the page, the memory is freed when that write ends.
            pool.giveBack(bytes);
            page.release();
        }
    }

    synchronized void leaveLine(Object who) {
        boolean next = isFirst(who);
        if (!starts.remove(who)) {
            line.remove(who);
        }
        if (next) {
            since = nobodyWaits() ? WindowGate.NEVER : clock.getAsLong();
        }
    }

    /** Returns since when the first subscriber in the line has been first; or {@link WindowGate#NEVER}. */
    long waitingSince() {
        return since;
    }

    /** Returns after how many nanoseconds the subscribers in the line ask again; 0 if none waits. */
    public synchronized long sleepNanos() {
        return nobodyWaits() ? 0 : TimeUnit.MILLISECONDS.toNanos(1);
    }

    synchronized void enter() {
        readers++;
    }

    synchronized void exit(Object who) {
        leaveLine(who);
        if (--readers == 0) {
            close();
        }
    }

    public synchronized void close() {
        for (Chunk page : free) {
            pool.giveBack(page.memory().capacity());
            page.release();
        }
        free.clear();
    }
}

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
 * Memory that the journal is read into: a page for each subscriber that is sent to from there. Where all of it is in use,
 * subscribers stand in a line, and the first one gets the page that is given back next; so a subscriber that has a page and reads
 * nothing holds up others, which {@link #waitingSince} tells. Those that have not been welcomed have a line of their own, and get
 * each second page: behind all that are on their way, their clients would have given up.
 *
 * <p>Any thread; a lock, taken once for a page.
 */
public final class ReplayPages {
    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final Counters counters;
    private final LongSupplier clock;
    // Room for records of the journal, shared by all subscribers of the thread that reads it.
    final ByteBuffer records = ByteBuffer.allocateDirect(BlockReader.RECORD_BYTES);
    private final ArrayDeque<Chunk> free = new ArrayDeque<>();
    private final ArrayDeque<Object> starts = new ArrayDeque<>();
    private final ArrayDeque<Object> line = new ArrayDeque<>();
    // Whether a start has got the last page that somebody waited for.
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
     * Returns a page of so many bytes or more; null: there is none, and {@code who} stands in the line until it asks again and gets
     * one, or {@link #leave}s.
     *
     * @param starts whether it has not been welcomed
     */
    synchronized Chunk take(Object who, long bytes, boolean starts) {
        if (nobodyWaits() || first() == who) {
            Chunk page = page(bytes);
            if (page != null) {
                leave(who);
                startBefore = starts;
                return page;
            }
        }
        ArrayDeque<Object> its = starts ? this.starts : line;
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

    /** The one that gets the next page; null: nobody waits. */
    private Object first() {
        return starts.isEmpty() || startBefore && !line.isEmpty() ? line.peekFirst() : starts.peekFirst();
    }

    private Chunk page(long bytes) {
        if (bytes <= BlockReader.PAGE_BYTES) {
            Chunk page = free.pollFirst();
            return page == null ? newPage(BlockReader.PAGE_BYTES) : page;
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

    synchronized void give(Chunk page) {
        int bytes = page.memory().capacity();
        if (bytes == BlockReader.PAGE_BYTES && page.memory().refCnt() == 1 && readers > 0) {
            free.addFirst(page);
        } else {
            // The page may be part of a write in flight, which ends with its connection.
            pool.giveBack(bytes);
            page.release();
        }
    }

    synchronized void leave(Object who) {
        boolean next = first() == who;
        if (!starts.remove(who)) {
            line.remove(who);
        }
        if (next) {
            since = nobodyWaits() ? WindowGate.NEVER : clock.getAsLong();
        }
    }

    /** Returns since when somebody has been first in the line; {@link WindowGate#NEVER}: nobody waits. */
    long waitingSince() {
        return since;
    }

    /** Returns how soon those in the line may ask again; 0: nobody waits. */
    public synchronized long sleepNanos() {
        return nobodyWaits() ? 0 : TimeUnit.MILLISECONDS.toNanos(1);
    }

    synchronized void enter() {
        readers++;
    }

    /** Counts one less, which leaves the line. */
    synchronized void exit(Object who) {
        leave(who);
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

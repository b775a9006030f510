package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.memory.MemoryBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;

/**
 * Buffers for writes of one loop's {@link FilteredFeed}s. A buffer is acquired for a write, and given back when the
 * socket has taken the write. A few buffers serve thousands of subscribers that keep reading. On the loop's thread.
 */
public final class FilterBuffers {
    /** Bytes of a buffer, and the approximate limit of a write without a buffer. */
    static final int BYTES = 64 << 10;

    /** Stands for a missing buffer. Its capacity is 0. */
    static final ByteBuf NONE = Unpooled.EMPTY_BUFFER;

    private static final int MOST_FREE = 8;

    private final int mostFree;
    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final Counters counters;
    private final ArrayDeque<ByteBuf> free = new ArrayDeque<>();

    /** @param loops number of loops that share the pool. All together keep no more than half of it as free buffers */
    public FilterBuffers(ByteBufAllocator allocator, MemoryBudget.Pool pool, Counters counters, int loops) {
        this.mostFree = (int) Math.min(MOST_FREE, pool.limit() / BYTES / loops / 2);
        this.allocator = allocator;
        this.counters = counters;
        this.pool = pool;
    }

    /** Returns a buffer, or {@link #NONE} if all are in use. */
    ByteBuf acquire() {
        ByteBuf buffer = free.pollFirst();
        if (buffer != null) {
            return buffer;
        }
        if (!pool.tryTake(BYTES)) {
            counters.increment(Counter.FILTER_UNBUFFERED);
            return NONE;
        }
        return pool.allocate(BYTES, () -> allocator.directBuffer(BYTES, BYTES));
    }

    void giveBack(ByteBuf buffer) {
        if (free.size() < mostFree && buffer.refCnt() == 1) {
            free.addFirst(buffer.clear());
        } else {
            buffer.release();
            pool.giveBack(BYTES);
        }
    }

    public void close() {
        pool.giveBack((long) free.size() * BYTES);
        free.forEach(ByteBuf::release);
        free.clear();
    }
}

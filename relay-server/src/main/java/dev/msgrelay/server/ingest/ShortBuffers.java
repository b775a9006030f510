package dev.msgrelay.server.ingest;

import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.ReadBuffer;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/** The buffers for begun frames that one loop's publishers share: a fixed number of them, made when they are needed first. */
public final class ShortBuffers {
    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final int most;
    private final ArrayDeque<ReadBuffer> free = new ArrayDeque<>();
    private int made;

    /** @param most of them, for which the pool has room */
    ShortBuffers(ByteBufAllocator allocator, MemoryBudget.Pool pool, int most) {
        this.allocator = allocator;
        this.pool = pool;
        this.most = most;
    }

    boolean any() {
        return !free.isEmpty() || made < most;
    }

    ReadBuffer take() {
        ReadBuffer buffer = free.pollFirst();
        if (buffer != null) {
            return buffer;
        }
        if (made >= most || !pool.tryTake(FrameAssembler.SHORT)) {
            throw new IllegalStateException("all " + most + " buffers for begun frames are in use");
        }
        buffer = pool.allocate(FrameAssembler.SHORT, () -> new ReadBuffer(allocator, FrameAssembler.SHORT));
        made++;
        return buffer;
    }

    void give(ReadBuffer buffer) {
        free.addFirst(buffer);
    }

    void close() {
        pool.give((long) free.size() * FrameAssembler.SHORT);
        free.forEach(ReadBuffer::release);
        free.clear();
    }
}

package dev.msgrelay.server.publish;

import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * The memory that one loop's publishers share: a buffer for reads that do not go straight to the log, and a fixed
 * number of buffers for begun frames, each made when it is first needed.
 */
public final class LoopBuffers {
    /** Most bytes of a read to the loop's buffer when the log's chunk has too little room for a read in place. */
    static final int SHORT_READ = 16 << 10;

    /** Bytes of the buffer to which sockets are read. */
    public static final int BUFFER_BYTES = Inlet.SHORT_BYTES + SHORT_READ;

    /** Bytes of a read that is thrown away. */
    private static final int SCRATCH_BYTES = 4 << 10;

    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool pool;
    private final int most;
    private final ReadWindow reads;
    private final ArrayDeque<ReadWindow> free = new ArrayDeque<>();
    private int made;

    /** @param most number of buffers for begun frames; the budget has room for all of them */
    public LoopBuffers(ByteBufAllocator allocator, MemoryBudget budget, int most) {
        this.allocator = allocator;
        this.pool = budget.pool(Part.RESTS);
        this.most = most;
        this.reads = ReadWindow.allocate(allocator, BUFFER_BYTES);
    }

    ReadWindow reads() {
        return reads;
    }

    /** Returns memory for a read that is thrown away. The caller releases it. */
    ByteBuf scratch() {
        return reads.unwrap().retainedSlice(0, SCRATCH_BYTES).clear();
    }

    boolean any() {
        return !free.isEmpty() || made < most;
    }

    ReadWindow borrow() {
        if (!free.isEmpty()) {
            return free.removeFirst();
        }
        if (made >= most || !pool.tryTake(FrameAssembler.SHORT)) {
            throw new IllegalStateException("all " + most + " buffers for begun frames are in use");
        }
        ReadWindow buffer =
                pool.allocate(FrameAssembler.SHORT, () -> ReadWindow.allocate(allocator, FrameAssembler.SHORT));
        made++;
        return buffer;
    }

    void giveBack(ReadWindow buffer) {
        free.addFirst(buffer);
    }

    public void close() {
        reads.release();
        pool.giveBack((long) free.size() * FrameAssembler.SHORT);
        free.forEach(ReadWindow::release);
        free.clear();
    }
}

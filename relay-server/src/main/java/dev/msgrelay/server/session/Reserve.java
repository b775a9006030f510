package dev.msgrelay.server.session;

import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;

/**
 * The memory that one connection reserves as long as it is there: Java heap for its objects, and direct memory for what is
 * said to its client. Owned by the connection's thread.
 */
final class Reserve {
    /**
     * Java heap of a connection: Netty's channel and pipeline, the relay's objects, and the views of chunks that it writes
     * from. Measured with 1,024 to 4,096 of them: a plain subscriber 2,160 bytes, a plain publisher 1,870, with HELLO and a
     * name of 255 bytes 3,030 and 3,210, with types 2,960; 64 views 2,820 more.
     */
    static final int HEAP_BYTES = 7 << 10;

    private final MemoryBudget.Pool direct;
    private final MemoryBudget.Pool heap;
    private final int saidBytes;
    private boolean taken;

    Reserve(MemoryBudget budget, int saidBytes) {
        this.direct = budget.pool(Part.CONNECTIONS);
        this.heap = budget.pool(Part.SESSIONS);
        this.saidBytes = saidBytes;
    }

    /** Takes it. The plan has room for as many connections as are admitted. */
    void take() {
        boolean half = direct.tryTake(saidBytes);
        taken = half && heap.tryTake(HEAP_BYTES);
        if (half && !taken) {
            direct.give(saidBytes);
        }
        if (!taken) {
            throw new IllegalStateException("connections take more than what is planned for them: " + direct.limit()
                    + " bytes of direct memory, " + heap.limit() + " of heap");
        }
    }

    /** Gives it back. More than once without harm. */
    void giveBack() {
        if (taken) {
            taken = false;
            direct.give(saidBytes);
            heap.give(HEAP_BYTES);
        }
    }
}

package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DuplicatedByteBuf;

/**
 * Memory as a channel reads into it: a view that pretends to end at a limit, so that a read takes no more than it shall.
 * Reused for every read; shares the memory's reference count. Owned by the thread that reads.
 */
@SuppressWarnings("deprecation") // the class is Netty's own for this, and says so to keep others off its successors
public final class ReadWindow extends DuplicatedByteBuf {
    private int limit;

    public ReadWindow(ByteBuf memory) {
        super(memory);
        limit = memory.capacity();
    }

    /** The next read goes to {@code start} and ends at {@code end} at the latest; both indices are at the start. */
    public ReadWindow open(int start, int end) {
        limit = end;
        setIndex(start, start);
        return this;
    }

    @Override
    public int capacity() {
        return limit;
    }
}

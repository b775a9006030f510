package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Direct memory that a channel reads into: a Netty buffer and the relay's view of it. One owner at a time. */
public final class ReadBuffer {
    private final ByteBuf memory;
    private final ReadWindow window;

    public ReadBuffer(ByteBufAllocator allocator, int capacity) {
        memory = allocator.directBuffer(capacity, capacity);
        window = new ReadWindow(memory);
    }

    /** The place of the next read: from offset {@code from} to {@code to} at most. */
    public ReadWindow window(int from, int to) {
        return window.open(from, to);
    }

    /** A view of the whole memory, in the machine's own byte order. */
    public ByteBuffer view() {
        return window.view();
    }

    public int capacity() {
        return memory.capacity();
    }

    /** The first bytes, retained once more, for reads whose bytes nobody looks at: several at a time. */
    public ByteBuf scratch(int length) {
        return memory.retainedSlice(0, length).clear();
    }

    public void release() {
        memory.release();
    }
}

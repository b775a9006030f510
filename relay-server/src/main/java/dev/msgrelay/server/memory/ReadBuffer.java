package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Direct memory that a channel reads into, as Netty and as the relay see it. One owner at a time. */
public final class ReadBuffer {
    private final ByteBuf memory;
    private final ReadWindow window;

    public ReadBuffer(ByteBufAllocator allocator, int capacity) {
        memory = allocator.directBuffer(capacity, capacity);
        window = new ReadWindow(memory);
    }

    /** Where a read goes: from {@code from} to {@code to} at most. */
    public ReadWindow window(int from, int to) {
        return window.open(from, to);
    }

    /** The whole of it, in the machine's own byte order. */
    public ByteBuffer view() {
        return window.view();
    }

    /** Bytes. */
    public int capacity() {
        return memory.capacity();
    }

    /** Its first {@code length} bytes, counted once more, for a read that nobody looks at: several may go there at a time. */
    public ByteBuf scratch(int length) {
        return memory.retainedSlice(0, length).clear();
    }

    public void release() {
        memory.release();
    }
}

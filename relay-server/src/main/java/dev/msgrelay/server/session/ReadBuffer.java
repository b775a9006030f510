package dev.msgrelay.server.session;

import dev.msgrelay.server.memory.Bytes;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Direct memory that a channel reads into, as Netty and as the relay see it. One owner at a time. */
final class ReadBuffer {
    private final ByteBuf memory;
    private final ByteBuffer view;
    private final ReadWindow window;

    ReadBuffer(ByteBufAllocator allocator, int capacity) {
        memory = allocator.directBuffer(capacity, capacity);
        view = Bytes.view(memory, capacity);
        window = new ReadWindow(memory);
    }

    ByteBuf memory() {
        return memory;
    }

    /** The first {@code limit} bytes, to be read into. */
    ReadWindow window(int limit) {
        return window.open(0, limit);
    }

    /** The whole of it, in the machine's own byte order. */
    ByteBuffer view() {
        return view;
    }

    int capacity() {
        return view.capacity();
    }

    void release() {
        memory.release();
    }
}

package dev.msgrelay.server.session;

import dev.msgrelay.server.memory.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Direct memory that a channel reads into, as Netty and as the relay see it. One owner at a time. */
final class ReadBuffer {
    private final ByteBuf memory;
    private final ByteBuffer view;

    ReadBuffer(ByteBufAllocator allocator, int capacity) {
        memory = allocator.directBuffer(capacity, capacity);
        view = Bytes.view(memory, capacity);
    }

    ByteBuf memory() {
        return memory;
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

package dev.msgrelay.server.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Reads of a fixed size into the Java heap: the relay's direct memory is budgeted to the last byte, and the admin port
 * has no part of it.
 */
final class HeapReads extends FixedRecvByteBufAllocator {
    private final int bytes;

    HeapReads(int bytes) {
        super(bytes);
        this.bytes = bytes;
        maxMessagesPerRead(1);
    }

    @Override
    @SuppressWarnings("deprecation") // Netty offers no other way to choose the buffer of a read
    public RecvByteBufAllocator.Handle newHandle() {
        return new RecvByteBufAllocator.DelegatingHandle(super.newHandle()) {
            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return allocator.heapBuffer(bytes);
            }
        };
    }
}

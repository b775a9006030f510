package dev.msgrelay.server.harness;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Direct memory, as long as a test lets the machine have some. */
public final class ScarceAllocator extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true);
    private boolean scarce;
    private int left = Integer.MAX_VALUE;

    public ScarceAllocator() {
        super(true);
    }

    /** From now on there is none, or again some. */
    public void scarce(boolean now) {
        scarce = now;
    }

    /** After so many pieces more there is none. */
    public void failAfter(int pieces) {
        left = pieces;
    }

    public long usedDirectMemory() {
        return memory.metric().usedDirectMemory();
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        throw new AssertionError("all of it is direct memory");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (scarce || left-- <= 0) {
            throw new OutOfMemoryError("none left");
        }
        return memory.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}

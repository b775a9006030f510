package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.ReadBuffer;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * Where what a socket brings is not in the order when it is read: it is read to a buffer of the loop, walked there, and copied
 * from there to whoever puts it in order.
 */
abstract class BufferPort implements IngestPort {
    private final RunScan scan;
    private final ReadBuffer buffer;
    private final ShortBuffers shorts;

    /** @param shorts buffers for begun frames, at most */
    BufferPort(int maxBody, ByteBufAllocator allocator, MemoryBudget budget, int shorts) {
        this.scan = new RunScan(Integer.MAX_VALUE, maxBody);
        this.buffer = new ReadBuffer(allocator, InPlacePort.copiedBytes());
        this.shorts = new ShortBuffers(allocator, budget.pool(MemoryBudget.Part.RESTS), shorts);
    }

    @Override
    public final ReadWindow window(int front, int most) {
        return buffer.window(0, front + most);
    }

    @Override
    public final ByteBuf scratch() {
        return buffer.scratch(SCRATCH_BYTES);
    }

    @Override
    public final RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
        return scan.scan(view, offset, length, 0, types);
    }

    @Override
    public final boolean allShown() {
        return true;
    }

    @Override
    public final void moreExpected() {
        // Whoever packs finds what comes.
    }

    @Override
    public final ShortBuffers shorts() {
        return shorts;
    }

    @Override
    public final void close() {
        buffer.release();
        shorts.close();
    }
}

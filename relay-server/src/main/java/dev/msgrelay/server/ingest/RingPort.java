package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.ReadBuffer;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * For publishers on a reader loop, which has a core of its own: a socket is read to the loop's buffer, walked there, and
 * copied into the ring as one run, which the core's thread packs.
 */
public final class RingPort implements IngestPort {
    private final FrameRing ring;
    private final WindowGate gate;
    private final HeldSources held;
    private final RunScan scan;
    private final ReadBuffer buffer;
    private final ShortBuffers shorts;

    /** @param shorts buffers for begun frames, at most */
    public RingPort(
            FrameRing ring,
            WindowGate gate,
            HeldSources held,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        this.ring = ring;
        this.gate = gate;
        this.held = held;
        this.scan = new RunScan(Integer.MAX_VALUE, maxBody);
        this.buffer = new ReadBuffer(allocator, InPlacePort.copiedBytes());
        this.shorts = new ShortBuffers(allocator, budget.pool(MemoryBudget.Part.RESTS), shorts);
    }

    @Override
    public boolean makeReady() {
        return ring.hasRoom(FrameAssembler.SHORT);
    }

    @Override
    public ReadWindow window(int front, int most) {
        return buffer.window(0, front + most);
    }

    @Override
    public ByteBuf scratch() {
        return buffer.scratch(SCRATCH_BYTES);
    }

    @Override
    public RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
        return scan.scan(view, offset, length, 0, types);
    }

    @Override
    public boolean take(RunScan span, PublisherName name) {
        int length = span.end();
        long claim = ring.tryClaim(length);
        if (claim == FrameRing.REFUSED) {
            return false;
        }
        ring.put(claim, 0, span.buffer(), span.offset(), length);
        ring.publish(claim, length, span.each());
        return true;
    }

    @Override
    public void hold(HeldSources.Source source) {
        // The ring may have been drained in between, and nobody would look again. Where readers hold the log back, its
        // writer looks once they have moved on.
        held.add(source, !gate.blocked());
    }

    @Override
    public void publish() {
        // The core does, once it has packed.
    }

    @Override
    public void moreExpected() {
        // The core finds it in the ring.
    }

    @Override
    public ShortBuffers shorts() {
        return shorts;
    }

    @Override
    public void close() {
        buffer.release();
        shorts.close();
    }
}

package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.memory.MemoryBudget;
import io.netty.buffer.ByteBufAllocator;

/**
 * For publishers on a reader loop, which has a core of its own: a span is copied into the ring as one run, which the core's
 * thread packs.
 */
public final class RingPort extends BufferPort {
    private final FrameRing ring;
    private final HeldSources held;

    /** @param shorts buffers for begun frames, at most */
    public RingPort(
            FrameRing ring,
            HeldSources held,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        super(maxBody, allocator, budget, shorts);
        this.ring = ring;
        this.held = held;
    }

    @Override
    public boolean makeReady() {
        return ring.hasRoom(FrameAssembler.SHORT);
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
        // The ring may have been drained in between, and the core, which did not see the source yet, would not look.
        held.add(source, true);
    }
}

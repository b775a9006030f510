package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.memory.MemoryBudget;
import io.netty.buffer.ByteBufAllocator;

/** For publishers on the core's own loop where several relays are one: an {@link Orderer} puts spans in order with others. */
public final class OrdererPort extends BufferPort {
    private final Orderer orderer;
    private final HeldSources held;

    /** @param shorts buffers for begun frames, at most */
    public OrdererPort(
            Orderer orderer,
            HeldSources held,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        super(maxBody, allocator, budget, shorts);
        this.orderer = orderer;
        this.held = held;
    }

    @Override
    public boolean makeReady() {
        return orderer.makeReady();
    }

    @Override
    public boolean take(RunScan span, PublisherName name) {
        if (name == null) {
            return orderer.take(span);
        }
        boolean taken = orderer.take(span, name.name(), name.producer, name.next(), name);
        if (taken) {
            name.hand(span.frames());
        }
        return taken;
    }

    @Override
    public void hold(HeldSources.Source source) {
        // The core looks at those who wait in each cycle.
        held.add(source, false);
    }
}

package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.ReadBuffer;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * For publishers on the core's own loop where several relays are one: what a socket brings is not in the order when it is
 * read, so it goes to the loop's buffer, and from there to who orders it.
 */
public final class OrdererPort implements IngestPort {
    private final Orderer orderer;
    private final HeldSources held;
    private final RunScan scan;
    private final ReadBuffer buffer;
    private final ShortBuffers shorts;

    /** @param shorts buffers for begun frames, at most */
    public OrdererPort(
            Orderer orderer,
            HeldSources held,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        this.orderer = orderer;
        this.held = held;
        this.scan = new RunScan(Integer.MAX_VALUE, maxBody);
        this.buffer = new ReadBuffer(allocator, InPlacePort.copiedBytes());
        this.shorts = new ShortBuffers(allocator, budget.pool(MemoryBudget.Part.RESTS), shorts);
    }

    @Override
    public boolean makeReady() {
        return orderer.makeReady();
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

    @Override
    public void publish() {
        // What is in order is shown by who hands it over.
    }

    @Override
    public void moreExpected() {
        // It is found in the next cycle.
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

package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.FrameRing;
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
 * For publishers whose bytes are not in the order when they are read: a socket is read to a buffer of the loop, the bytes are
 * walked there, and copied from there to whoever puts them in order.
 */
public final class BufferPort implements IngestPort {
    /** The next place of the bytes. */
    private interface Sink {
        boolean makeReady();

        boolean take(RunScan span, PublisherName name);
    }

    private final Sink sink;
    private final HeldSources held;
    private final boolean looksAtOnce;
    private final RunScan scan;
    private final ReadBuffer buffer;
    private final ShortBuffers shorts;

    private BufferPort(
            Sink sink,
            HeldSources held,
            boolean looksAtOnce,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        this.sink = sink;
        this.held = held;
        this.looksAtOnce = looksAtOnce;
        this.scan = new RunScan(Integer.MAX_VALUE, maxBody);
        this.buffer = new ReadBuffer(allocator, InPlacePort.copiedBytes());
        this.shorts = new ShortBuffers(allocator, budget.pool(MemoryBudget.Part.RESTS), shorts);
    }

    /**
     * A port of a reader loop, which has a processor core of its own: the core packs what is in the ring.
     *
     * @param shorts buffers for begun frames, at most
     */
    public static BufferPort to(
            FrameRing ring,
            HeldSources held,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        // The ring may have been drained in between, and the core, which did not see the source yet, would not look.
        return new BufferPort(new RingSink(ring), held, true, maxBody, allocator, budget, shorts);
    }

    /** A port of the core's own loop where several relays are one; as above. */
    public static BufferPort to(
            Orderer orderer,
            HeldSources held,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            int shorts) {
        // The core looks at those who wait in each cycle.
        return new BufferPort(new OrdererSink(orderer), held, false, maxBody, allocator, budget, shorts);
    }

    /** A span becomes one run of the ring. */
    private record RingSink(FrameRing ring) implements Sink {
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
    }

    /** An {@link Orderer} puts spans in order with others. */
    private record OrdererSink(Orderer orderer) implements Sink {
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
    }

    @Override
    public boolean makeReady() {
        return sink.makeReady();
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
        return sink.take(span, name);
    }

    @Override
    public void hold(HeldSources.Source source) {
        held.add(source, looksAtOnce);
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

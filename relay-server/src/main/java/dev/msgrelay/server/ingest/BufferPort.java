package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.memory.ReadWindow;
import java.nio.ByteBuffer;

/**
 * For publishers whose bytes are not in the order when they are read: a socket is read to a buffer of the loop, the bytes are
 * walked there, and copied from there to whoever puts them in order.
 *
 * @param ring for a reader loop, which has a processor core of its own: the core packs what is in the ring. Null: {@code
 *     orderer} puts runs in order with others
 * @param orderer for the core's own loop where several relays are one; otherwise null
 * @param scan without packets: these are made where the order is
 */
public record BufferPort(FrameRing ring, Orderer orderer, HeldSources held, RunScan scan, LoopBuffers buffers)
        implements IngestPort {
    /** Returns a walk for such a port. */
    public static RunScan scan(int maxBody) {
        return new RunScan(Integer.MAX_VALUE, maxBody);
    }

    @Override
    public boolean makeReady() {
        return ring == null ? orderer.makeReady() : ring.hasRoom(FrameAssembler.SHORT);
    }

    @Override
    public ReadWindow window(int front, int most) {
        return buffers.reads().window(0, front + most);
    }

    @Override
    public RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
        return scan.scan(view, offset, length, 0, types);
    }

    @Override
    public boolean take(RunScan span, PublisherName name) {
        if (ring != null) {
            return toRing(span);
        }
        if (name == null) {
            return orderer.take(span);
        }
        boolean taken = orderer.take(span, name.name(), name.producer, name.next(), name);
        if (taken) {
            name.hand(span.frames());
        }
        return taken;
    }

    private boolean toRing(RunScan span) {
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
        // The core looks at those who wait in each cycle. But the ring may have been drained in between, and the core,
        // which did not see the source yet, would not look.
        held.add(source, ring != null);
    }
}

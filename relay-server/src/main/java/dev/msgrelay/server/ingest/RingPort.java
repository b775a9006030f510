package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;

/**
 * For publishers on a reader loop, which has a processor core of its own: a socket is read to a buffer of the loop, the
 * bytes are walked there and copied to the ring, and the core packs what is in the ring.
 *
 * @param scan {@link RunScan#unpacked}: packets are made where the order is
 */
public record RingPort(FrameRing ring, HeldSources held, RunScan scan, LoopBuffers buffers) implements IngestPort {
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
        // The core looks at those who wait in each cycle. But the ring may have been drained in between, and the core,
        // which did not see the source yet, would not look.
        held.add(source, true);
    }
}

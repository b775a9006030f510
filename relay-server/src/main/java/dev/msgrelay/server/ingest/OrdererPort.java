package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;

/**
 * For publishers on the core's own loop where several relays are one: a socket is read to a buffer of the loop, the
 * bytes are walked there and copied to the orderer, which puts runs of all relays in order.
 *
 * @param scan {@link RunScan#unpacked}: packets are made where the order is
 */
public record OrdererPort(Orderer orderer, HeldSources held, RunScan scan, LoopBuffers buffers) implements IngestPort {
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

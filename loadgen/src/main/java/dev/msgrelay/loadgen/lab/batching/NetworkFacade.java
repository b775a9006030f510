package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A device that takes one packet at a time, and returns when it has it. Called by one thread at a time. */
@FunctionalInterface
interface NetworkFacade {
    /**
     * Sends all that remains in the packet.
     *
     * @param packet whole frames
     */
    void send(ByteBuffer packet) throws IOException;
}

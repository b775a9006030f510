package dev.msgrelay.server.stream;

import java.nio.ByteBuffer;

/**
 * Takes runs on their way into the order, as a Disruptor's event handler takes events, and may refuse for a while: if a
 * subscriber holds publishers back, runs stay in the ring. {@link NetworkBatchHandler} makes the order of a relay that is
 * alone, an {@link Orderer} that of several. The end of a batch is {@link NetworkBatchHandler#drain}'s, since sockets and other relays bring
 * some of it.
 */
public interface RunHandler {
    /** Gets ready for one more run; returns whether it can take one now. Otherwise publishers are held back until it can. */
    boolean makeReady();

    /**
     * Takes a run, which is not empty; only after {@link #makeReady} has returned true.
     *
     * @param buffer in the machine's own byte order; its bytes are valid during the call
     * @param frameLength length in bytes of each of the run's frames if the producer found them valid and all alike;
     *     otherwise 0
     */
    void onEvent(ByteBuffer buffer, int offset, int length, int frameLength);
}

package dev.msgrelay.server.core;

import java.nio.ByteBuffer;

/**
 * Takes runs on their way into the order, as a Disruptor's event handler takes events, and may have to wait: where a subscriber
 * holds the publishers back, runs stay in the ring. The end of a batch is no matter of one run, since sockets and other relays
 * bring some of it: {@link Order#drain} calls {@link NetworkBatchHandler#endOfBatch}.
 *
 * <p>This is where a relay that is alone and one of several part: {@link NetworkBatchHandler} makes the order here, an
 * {@link Orderer} makes it with others.
 */
public interface RunHandler {
    /** Gets ready to take one more run; answers whether it can now. Otherwise publishers are held back until it can. */
    boolean makeReady();

    /**
     * Takes a run, which is not empty; only after {@link #makeReady} has said that it can.
     *
     * @param buffer in the machine's own byte order; its bytes are valid during the call
     * @param frameLength length in bytes of each of the run's frames if the producer found them valid and all alike;
     *     otherwise 0
     */
    void onEvent(ByteBuffer buffer, int offset, int length, int frameLength);
}

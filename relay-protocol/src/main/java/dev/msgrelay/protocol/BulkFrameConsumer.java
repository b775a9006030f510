package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * A {@link FrameConsumer} that can take many frames at once, because it knows what is to come: it is offered all that
 * a read brought before the reader takes it apart.
 */
public interface BulkFrameConsumer extends FrameConsumer {
    /**
     * Offers the bytes from {@code from} to {@code to}; a frame begins at {@code from}, the last one may be cut off.
     *
     * @param source the reader's own memory, big-endian, valid until this method returns. It is read by index: its
     *     position and limit are the reader's
     * @return the length in bytes of the whole frames that were taken; 0 to get the next frame by {@link #onFrame}
     */
    int onFrames(ByteBuffer source, int from, int to);
}

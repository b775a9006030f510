package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * A {@link FrameConsumer} that can take many frames at once, because it knows them in advance: the reader offers it all
 * bytes of a read first.
 */
public interface BulkFrameConsumer extends FrameConsumer {
    /**
     * Takes whole frames from the bytes {@code from} to {@code to}; a frame begins at {@code from}, the last one may be
     * incomplete.
     *
     * @param source the reader's own memory, big-endian, valid until this method returns. Read it by index, since
     *     position and limit belong to the reader
     * @return length in bytes of the frames taken; 0: the next frame comes by {@link #onFrame}
     */
    int onFrames(ByteBuffer source, int from, int to);
}

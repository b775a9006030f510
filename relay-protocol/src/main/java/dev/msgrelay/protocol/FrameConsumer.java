package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/** Takes the frames that a {@link FrameReader} finds. */
@FunctionalInterface
public interface FrameConsumer {
    /**
     * Takes one whole frame.
     *
     * @param type the frame's type; see {@link ControlFrames#isControl}
     * @param body the body between position and limit, big-endian. The buffer is the same for every call, and a view of
     *     the reader's own memory: valid until this method returns
     */
    void onFrame(int type, ByteBuffer body);
}

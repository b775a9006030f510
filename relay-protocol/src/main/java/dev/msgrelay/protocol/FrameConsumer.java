package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/** Takes the frames that a {@link FrameReader} finds. */
@FunctionalInterface
public interface FrameConsumer {
    /**
     * One whole frame.
     *
     * @param type the message's type; {@link ControlFrames#isControl} tells a control frame
     * @param body the body lies between position and limit. The buffer is one and the same for every call and looks
     *     into the reader's own memory: valid until this method returns. Its byte order is big-endian
     */
    void onFrame(int type, ByteBuffer body);
}

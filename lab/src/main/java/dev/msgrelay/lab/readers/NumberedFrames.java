package dev.msgrelay.lab.readers;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * The stream that everybody reads: messages numbered 0, 1, 2 ... up to {@link #FRAMES}, then from 0 again. A body starts
 * with its number and goes on with bytes that differ from message to message, so that one that is lost, repeated or mixed
 * up shows. The sender packs them once.
 */
final class NumberedFrames {
    /** A power of two, and more than fit between a sender and a reader that is a write behind. */
    static final int FRAMES = 8_192;

    static final int TYPE = 0x4C52;

    private NumberedFrames() {}

    static byte[] body(int number, int length) {
        byte[] body = new byte[length];
        ByteBuffer.wrap(body).putLong(number);
        for (int i = Long.BYTES; i < length; i++) {
            body[i] = (byte) (number * 31 + i);
        }
        return body;
    }

    /**
     * All frames once, and then so many bytes more of them, from the first on: wherever a window of that size starts in
     * the first part, it lies within the whole.
     */
    static ByteBuffer packed(int length, int more) {
        int once = Math.multiplyExact(FRAMES, FrameLayout.frameLength(length));
        ByteBuffer frames = ByteBuffer.allocateDirect(Math.addExact(once, more));
        for (int number = 0; number < FRAMES; number++) {
            int at = number * FrameLayout.frameLength(length);
            FrameLayout.putHeader(frames, at, TYPE, length);
            frames.put(at + FrameLayout.HEADER_LENGTH, body(number, length));
        }
        for (int done = 0; done < more; done += once) {
            frames.put(once + done, frames, 0, Math.min(once, more - done));
        }
        return frames;
    }
}

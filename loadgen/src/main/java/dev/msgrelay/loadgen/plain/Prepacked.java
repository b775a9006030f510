package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * Frames packed once; windows of one size slide over them so that the stream goes on as if it had been packed anew.
 * One thread owns it.
 */
final class Prepacked {
    private final ByteBuffer window;
    private final int frameLength;
    private final int writeSize;
    private int start;

    Prepacked(int bodyLength, int writeSize) {
        this.frameLength = FrameLayout.frameLength(bodyLength);
        this.writeSize = writeSize;
        int frames = (frameLength - 1 + writeSize + frameLength - 1) / frameLength;
        this.window = ByteBuffer.allocateDirect(Math.multiplyExact(frames, frameLength));
        for (int i = 0; i < frames; i++) {
            FrameLayout.putHeader(window, i * frameLength, LoadMessage.TYPE, bodyLength);
        }
    }

    /** The next {@code writeSize} bytes of the stream. */
    ByteBuffer next() {
        int end = start + writeSize;
        window.limit(end).position(start);
        start = end % frameLength;
        return window;
    }

    /** The rest of the frame that the last write cut, possibly nothing. */
    ByteBuffer rest() {
        window.limit(start == 0 ? 0 : frameLength).position(start);
        start = 0;
        return window;
    }

    /** One whole frame; only where no frame is cut. */
    ByteBuffer one() {
        window.limit(frameLength).position(0);
        return window;
    }
}

package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A walk over the whole messages at the start of some bytes. Its result is two numbers in a {@code long}, so that any
 * thread may walk and nothing is allocated.
 */
public final class FrameWalk {
    private FrameWalk() {}

    /**
     * Walks from {@code from}, where a frame begins, up to {@code to}, or to the first frame that is not whole, is no
     * message, or has a body of another length than {@code 0..maxBody}.
     *
     * @param source read by index, in either byte order
     * @return for {@link #bytes} and {@link #messages}
     */
    public static long over(ByteBuffer source, int from, int to, int maxBody) {
        boolean swaps = source.order() != ByteOrder.BIG_ENDIAN;
        int at = from;
        long messages = 0;
        while (to - at >= FrameLayout.HEADER_LENGTH) {
            long header = source.getLong(at);
            long fields = swaps ? Long.reverseBytes(header) : header;
            int length = (int) fields;
            // A negative length is a large unsigned number.
            if (ControlFrames.isControl((int) (fields >>> Integer.SIZE))
                    || Integer.compareUnsigned(length, maxBody) > 0
                    || FrameLayout.frameLength(length) > to - at) {
                break;
            }
            // Neighbours are often alike. A step by the length before does not wait until the next header is loaded.
            int frame = FrameLayout.frameLength(length);
            int last = to - frame;
            do {
                at += frame;
                messages++;
            } while (at <= last && source.getLong(at) == header);
        }
        return messages << Integer.SIZE | at - from;
    }

    /** Bytes of the messages of a walk. */
    public static int bytes(long walk) {
        return (int) walk;
    }

    /** Number of the messages of a walk. */
    public static int messages(long walk) {
        return (int) (walk >>> Integer.SIZE);
    }
}

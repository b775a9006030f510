package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * RETRY_AFTER, a control frame: the relay refuses the connection, and the client connects again no sooner than this. It
 * comes before ERROR, which says why.
 *
 * <p>{@code docs/protocol.md} has the layout. The getter needs a body that {@link #check} has accepted.
 */
public final class RetryAfterFrame {
    private static final int TYPE = ControlFrames.RETRY_AFTER;

    private static final int WAIT_OFFSET = 0;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = WAIT_OFFSET + Integer.BYTES;

    /** Bytes that {@link #put} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    /** Longest wait, in ms: an hour. */
    public static final int MAX_MILLIS = 3_600_000;

    private RetryAfterFrame() {}

    /**
     * Puts a whole RETRY_AFTER frame at the position of a big-endian buffer. Allocates nothing, checks no value.
     *
     * @param millis the wait in ms, 0 to {@link #MAX_MILLIS}
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, int millis) {
        int body = Fields.putHeader(target, TYPE, MIN_LENGTH);
        target.putInt(body + WAIT_OFFSET, millis);
    }

    /**
     * Checks every field of a RETRY_AFTER's body, between position and limit.
     *
     * @throws FrameException the field is missing or out of range
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "wait", millis(body), 0, MAX_MILLIS);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The wait in ms. */
    public static int millis(ByteBuffer body) {
        return Fields.int32(body, WAIT_OFFSET);
    }
}

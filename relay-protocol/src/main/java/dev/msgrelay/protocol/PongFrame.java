package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * PONG, a control frame: the answer to {@link PingFrame}.
 *
 * <p>{@code docs/protocol.md} has the layout. The getter needs a body that {@link #check} has accepted.
 */
public final class PongFrame {
    private static final int TYPE = ControlFrames.PONG;

    private static final int ID_OFFSET = 0;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = ID_OFFSET + Long.BYTES;

    /** Bytes that {@link #put} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    private PongFrame() {}

    /**
     * Puts a whole PONG frame at the position of a big-endian buffer. Allocates nothing.
     *
     * @param id the PING's id
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, long id) {
        int body = Fields.putHeader(target, TYPE, MIN_LENGTH);
        target.putLong(body + ID_OFFSET, id);
    }

    /**
     * Checks a PONG's body, between position and limit.
     *
     * @throws FrameException the body is too short
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The id of the PING. */
    public static long id(ByteBuffer body) {
        return Fields.int64(body, ID_OFFSET);
    }
}

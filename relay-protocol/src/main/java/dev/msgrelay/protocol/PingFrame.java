package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * PING, a control frame: the peer answers with {@link PongFrame} at once. A relay's PING also tells the stream's newest
 * numbers, so that a subscriber notices missed messages even if no further message comes.
 *
 * <p>{@code docs/protocol.md} has the layout. The getters need a body that {@link #check} has accepted.
 */
public final class PingFrame {
    private static final int TYPE = ControlFrames.PING;

    private static final int ID_OFFSET = 0;
    private static final int NEXT_OFFSET = ID_OFFSET + Long.BYTES;
    private static final int HEAD_OFFSET = NEXT_OFFSET + Long.BYTES;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = HEAD_OFFSET + Long.BYTES;

    /** Bytes that {@link #put} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    private PingFrame() {}

    /**
     * Puts a whole PING frame at the position of a big-endian buffer. Allocates nothing, checks no value.
     *
     * @param id a value that PONG brings back
     * @param next to a subscriber: the sequence of the next message that it can get; otherwise 0
     * @param head from the relay: the newest sequence of the stream; otherwise 0
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, long id, long next, long head) {
        int body = Fields.putHeader(target, TYPE, MIN_LENGTH);
        target.putLong(body + ID_OFFSET, id);
        target.putLong(body + NEXT_OFFSET, next);
        target.putLong(body + HEAD_OFFSET, head);
    }

    /**
     * Checks every field of a PING's body, between position and limit.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "next", next(body), 0, Long.MAX_VALUE);
            Fields.within(TYPE, "head", head(body), 0, Long.MAX_VALUE);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The value that PONG is to bring back. */
    public static long id(ByteBuffer body) {
        return Fields.int64(body, ID_OFFSET);
    }

    /**
     * The sequence of the next message that the subscriber can get: it has received, or been told about, all before. 0:
     * not told.
     */
    public static long next(ByteBuffer body) {
        return Fields.int64(body, NEXT_OFFSET);
    }

    /** The newest sequence of the stream; 0: none yet, or not from a relay. */
    public static long head(ByteBuffer body) {
        return Fields.int64(body, HEAD_OFFSET);
    }
}

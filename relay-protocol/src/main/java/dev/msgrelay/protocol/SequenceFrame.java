package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * SEQUENCE, a control frame: the number of the message that follows. The subscriber's types have left out the messages
 * between; they are not lost.
 *
 * <p>{@code docs/protocol.md} has the layout. The getter needs a body that {@link #check} has accepted.
 */
public final class SequenceFrame {
    private static final int TYPE = ControlFrames.SEQUENCE;

    private static final int NEXT_OFFSET = 0;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = NEXT_OFFSET + Long.BYTES;

    /** Bytes that {@link #put} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    private SequenceFrame() {}

    /**
     * Puts a whole SEQUENCE frame at the position of a big-endian buffer. Allocates nothing, checks no value.
     *
     * @param next the sequence of the message that follows, from 1
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, long next) {
        int body = Fields.putHeader(target, TYPE, MIN_LENGTH);
        target.putLong(body + NEXT_OFFSET, next);
    }

    /**
     * Checks every field of a SEQUENCE's body, between position and limit.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "next", next(body), 1, Long.MAX_VALUE);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The sequence of the message that follows. */
    public static long next(ByteBuffer body) {
        return Fields.int64(body, NEXT_OFFSET);
    }
}

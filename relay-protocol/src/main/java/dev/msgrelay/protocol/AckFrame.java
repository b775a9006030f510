package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * ACK, a control frame: this message of the publisher, and all before it, are in the stream.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                       Type = 0x80000008                       |
 *  +---------------------------------------------------------------+
 *  |                   Length of the body (int32)                  |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                         Number (int64)                        +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                        Sequence (int64)                       +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * The getters want a body that {@link #check} has found good.
 */
public final class AckFrame {
    private static final int TYPE = ControlFrames.ACK;

    private static final int NUMBER_OFFSET = 0;
    private static final int SEQUENCE_OFFSET = NUMBER_OFFSET + Long.BYTES;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = SEQUENCE_OFFSET + Long.BYTES;

    /** Bytes that {@link #put} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    private AckFrame() {}

    /**
     * Puts a whole ACK frame at the position of a big-endian buffer. Allocates nothing, checks no value.
     *
     * @param number the publisher's own, of its last message that is in the stream, from 1
     * @param sequence that this message has in the stream, from 1
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, long number, long sequence) {
        int body = Fields.begin(target, TYPE, MIN_LENGTH);
        target.putLong(body + NUMBER_OFFSET, number);
        target.putLong(body + SEQUENCE_OFFSET, sequence);
    }

    /**
     * Checks every field of an ACK's body, between position and limit.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "number", number(body), 1, Long.MAX_VALUE);
            Fields.within(TYPE, "sequence", sequence(body), 1, Long.MAX_VALUE);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The publisher's own number of its last message that is in the stream. */
    public static long number(ByteBuffer body) {
        return Fields.int64(body, NUMBER_OFFSET);
    }

    /** The sequence of that message. */
    public static long sequence(ByteBuffer body) {
        return Fields.int64(body, SEQUENCE_OFFSET);
    }
}

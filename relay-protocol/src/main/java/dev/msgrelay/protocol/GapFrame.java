package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * GAP, a control frame: messages that the subscriber does not get. The next message that it can get is {@code to + 1}.
 *
 * <p>{@code docs/protocol.md} has the layout. The getters need a body that {@link #check} has accepted.
 */
public final class GapFrame {
    private static final int TYPE = ControlFrames.GAP;

    private static final int FROM_OFFSET = 0;
    private static final int TO_OFFSET = FROM_OFFSET + Long.BYTES;
    private static final int REASON_OFFSET = TO_OFFSET + Long.BYTES;
    private static final int RESERVED16_OFFSET = REASON_OFFSET + Short.BYTES;
    private static final int RESERVED32_OFFSET = RESERVED16_OFFSET + Short.BYTES;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = RESERVED32_OFFSET + Integer.BYTES;

    /** Bytes that {@link #put} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    private GapFrame() {}

    /**
     * Puts a whole GAP frame at the position of a big-endian buffer. Allocates nothing, checks no value.
     *
     * @param from first missed sequence, from 1
     * @param to last missed sequence, not below {@code from}
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, long from, long to, GapReason reason) {
        int body = Fields.putHeader(target, TYPE, MIN_LENGTH);
        target.putLong(body + FROM_OFFSET, from);
        target.putLong(body + TO_OFFSET, to);
        target.putShort(body + REASON_OFFSET, (short) reason.code());
        target.putShort(body + RESERVED16_OFFSET, (short) 0);
        target.putInt(body + RESERVED32_OFFSET, 0);
    }

    /**
     * Checks every field of a GAP's body, between position and limit. A reason that this version does not know is
     * accepted.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "from", from(body), 1, Long.MAX_VALUE);
            Fields.within(TYPE, "to", to(body), from(body), Long.MAX_VALUE);
            Fields.within(TYPE, "reason", reason(body), 1, 0xFFFF);
            Fields.reserved(TYPE, RESERVED16_OFFSET, Fields.uint16(body, RESERVED16_OFFSET));
            Fields.reserved(TYPE, RESERVED32_OFFSET, Fields.int32(body, RESERVED32_OFFSET));
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The first missed sequence. */
    public static long from(ByteBuffer body) {
        return Fields.int64(body, FROM_OFFSET);
    }

    /** The last missed sequence. */
    public static long to(ByteBuffer body) {
        return Fields.int64(body, TO_OFFSET);
    }

    /** The code of a {@link GapReason}, or one that this version does not know. */
    public static int reason(ByteBuffer body) {
        return Fields.uint16(body, REASON_OFFSET);
    }
}

package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * SUBSCRIBED, a control frame: the relay's answer to {@link SubscribeFrame}. Immutable.
 *
 * <p>{@code docs/protocol.md} has the layout.
 *
 * @param request request of the answered SUBSCRIBE
 * @param sequence first sequence that the new types choose, from 1; messages before were chosen by the old ones
 */
public record SubscribedFrame(int request, long sequence) {
    private static final int TYPE = ControlFrames.SUBSCRIBED;

    private static final int REQUEST_OFFSET = 0;
    private static final int RESERVED_OFFSET = REQUEST_OFFSET + Integer.BYTES;
    private static final int SEQUENCE_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** Bytes of the body. */
    public static final int MIN_LENGTH = SEQUENCE_OFFSET + Long.BYTES;

    /**
     * Checks every field.
     *
     * @throws IllegalArgumentException a field is wrong; the message names it, its value and the limit
     */
    public SubscribedFrame {
        Fields.within(TYPE, "sequence", sequence, 1, Long.MAX_VALUE);
    }

    /** A whole SUBSCRIBED frame, ready to be written. */
    public ByteBuffer encode() {
        return Fields.frame(TYPE, MIN_LENGTH)
                .putInt(request)
                .putInt(0)
                .putLong(sequence)
                .flip();
    }

    /**
     * Reads a SUBSCRIBED's body, between position and limit; the buffer does not change.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static SubscribedFrame decode(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.reserved(TYPE, RESERVED_OFFSET, Fields.int32(body, RESERVED_OFFSET));
            return new SubscribedFrame(Fields.int32(body, REQUEST_OFFSET), Fields.int64(body, SEQUENCE_OFFSET));
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }
}

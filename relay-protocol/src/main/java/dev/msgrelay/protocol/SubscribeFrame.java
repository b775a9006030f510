package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * SUBSCRIBE, a control frame: the types that a subscriber wants from now on. The relay answers with {@link
 * SubscribedFrame}. Immutable.
 *
 * <p>{@code docs/protocol.md} has the layout. A later version appends fields behind the ranges.
 *
 * @param request a value that the answer brings back
 * @param types types wanted
 */
public record SubscribeFrame(int request, TypeRanges types) {
    private static final int TYPE = ControlFrames.SUBSCRIBE;

    private static final int REQUEST_OFFSET = 0;
    private static final int COUNT_OFFSET = REQUEST_OFFSET + Integer.BYTES;
    private static final int RESERVED_OFFSET = COUNT_OFFSET + Short.BYTES;
    private static final int RANGES_OFFSET = RESERVED_OFFSET + Short.BYTES;

    /** Bytes of the body without ranges. */
    public static final int MIN_LENGTH = RANGES_OFFSET;

    /** Length of the shortest frame, in bytes. */
    public static final int LEAST_FRAME = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    /** A whole SUBSCRIBE frame, ready to be written. */
    public ByteBuffer encode() {
        return Fields.frame(TYPE, MIN_LENGTH + types.encodedLength())
                .putInt(request)
                .putShort((short) types.count())
                .putShort((short) 0)
                .put(types.encode())
                .flip();
    }

    /**
     * Reads a SUBSCRIBE's body, between position and limit; the buffer does not change.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static SubscribeFrame decode(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.reserved(TYPE, RESERVED_OFFSET, Fields.uint16(body, RESERVED_OFFSET));
            int count = Fields.uint16(body, COUNT_OFFSET);
            return new SubscribeFrame(
                    Fields.int32(body, REQUEST_OFFSET), TypeRanges.decode(TYPE, body, RANGES_OFFSET, count));
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }
}

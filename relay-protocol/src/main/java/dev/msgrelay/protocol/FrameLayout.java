package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * Layout of a frame: a message on the wire. Big-endian, no padding, no alignment.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                        Type (int32)                           |
 *  +---------------------------------------------------------------+
 *  |              Length of the body in bytes (int32)              |
 *  +---------------------------------------------------------------+
 *  |                        Body (0..maxBody bytes)               ...
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * A length that is negative or above the agreed limit cannot be recovered from: the next frame's start is unknown.
 */
public final class FrameLayout {
    public static final int TYPE_OFFSET = 0;
    public static final int LENGTH_OFFSET = TYPE_OFFSET + Integer.BYTES;

    /** Bytes before the body. */
    public static final int HEADER_LENGTH = LENGTH_OFFSET + Integer.BYTES;

    /** Default limit of a body: 1 MiB. */
    public static final int DEFAULT_MAX_BODY = 1 << 20;

    /** Largest value of a limit on bodies: 64 MiB, so that a frame's length never overflows an int. */
    public static final int MAX_MAX_BODY = 64 << 20;

    private FrameLayout() {}

    /** Bytes on the wire of a message with a body of {@code bodyLength} bytes. */
    public static int frameLength(int bodyLength) {
        return HEADER_LENGTH + bodyLength;
    }

    /** The type of the frame that starts at {@code offset}; {@code buffer} must be big-endian. */
    public static int type(ByteBuffer buffer, int offset) {
        return buffer.getInt(offset + TYPE_OFFSET);
    }

    /** The length of the body, in bytes, of the frame that starts at {@code offset}; unchecked. */
    public static int bodyLength(ByteBuffer buffer, int offset) {
        return buffer.getInt(offset + LENGTH_OFFSET);
    }

    /** Writes a frame's header at {@code offset} of a big-endian buffer. */
    public static void putHeader(ByteBuffer buffer, int offset, int type, int bodyLength) {
        buffer.putInt(offset + TYPE_OFFSET, type);
        buffer.putInt(offset + LENGTH_OFFSET, bodyLength);
    }

    /** @throws IllegalArgumentException the limit on bodies is not within {@code 0..}{@link #MAX_MAX_BODY} */
    public static void checkMaxBody(int maxBody) {
        if (maxBody < 0 || maxBody > MAX_MAX_BODY) {
            throw new IllegalArgumentException("maxBody " + maxBody + " is not within 0.." + MAX_MAX_BODY);
        }
    }

    /** The first letters of an answer, where a type is expected. */
    private static final int HTTP = 0x48545450;

    /**
     * Checks that {@code 0 <= bodyLength <= limit}. The limit is {@code maxBody} for a message, and {@link
     * ControlFrames#MAX_CONTROL_BODY} for a control frame; neither limits the other.
     *
     * @throws FrameException the length is wrong; the message has the length and the limit
     */
    public static void checkBodyLength(int type, int bodyLength, int maxBody) throws FrameException {
        if (bodyLength < 0) {
            throw new FrameException(
                    CloseReason.NEGATIVE_LENGTH,
                    "negative body length " + bodyLength + " in a frame of type " + ControlFrames.name(type));
        }
        int limit = ControlFrames.isControl(type) ? ControlFrames.MAX_CONTROL_BODY : maxBody;
        if (bodyLength > limit && type == HTTP) {
            throw new FrameException(
                    CloseReason.OVERSIZED_LENGTH,
                    "the other side speaks HTTP, as a relay's admin port does: subscribers connect to port 7400,"
                            + " publishers to port 7401, if the relay names no others");
        }
        if (bodyLength > limit) {
            throw new FrameException(
                    CloseReason.OVERSIZED_LENGTH,
                    "body length " + bodyLength + " in a frame of type " + ControlFrames.name(type)
                            + " is over the limit of " + limit + " bytes");
        }
    }
}

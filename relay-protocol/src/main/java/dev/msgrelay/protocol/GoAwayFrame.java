package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * GOAWAY, a control frame: the relay will close the connection, which works until then. The client connects elsewhere.
 * Immutable.
 *
 * <p>{@code docs/protocol.md} has the layout.
 *
 * @param code code of a {@link CloseReason}, 1..65535; may be one of a later version
 * @param closesInMillis time until the relay closes, in milliseconds, from 0
 * @param text text for people; cut to {@link Protocol#MAX_TEXT} bytes
 */
public record GoAwayFrame(int code, int closesInMillis, String text) {
    private static final int TYPE = ControlFrames.GOAWAY;

    private static final int CODE_OFFSET = 0;
    private static final int RESERVED_OFFSET = CODE_OFFSET + Short.BYTES;
    private static final int CLOSES_IN_OFFSET = RESERVED_OFFSET + Short.BYTES;
    private static final int TEXT_OFFSET = CLOSES_IN_OFFSET + Integer.BYTES;

    /** Bytes of the body without text. */
    public static final int MIN_LENGTH = TEXT_OFFSET;

    /**
     * Checks every field, and cuts the text.
     *
     * @throws IllegalArgumentException a field is wrong; the message names it, its value and the limit
     */
    public GoAwayFrame {
        Fields.within(TYPE, "code", code, 1, 0xFFFF);
        Fields.within(TYPE, "time to close in milliseconds", closesInMillis, 0, Integer.MAX_VALUE);
        text = new String(Fields.cutText(text), StandardCharsets.UTF_8);
    }

    public GoAwayFrame(CloseReason reason, int closesInMillis, String text) {
        this(reason.code(), closesInMillis, text);
    }

    /** The reason; null: a later version's. */
    public CloseReason reason() {
        return CloseReason.ofCode(code);
    }

    /** A whole GOAWAY frame, ready to be written. */
    public ByteBuffer encode() {
        byte[] utf8 = Fields.cutText(text);
        return Fields.frame(TYPE, MIN_LENGTH + utf8.length)
                .putShort((short) code)
                .putShort((short) 0)
                .putInt(closesInMillis)
                .put(utf8)
                .flip();
    }

    /**
     * Reads a GOAWAY's body, between position and limit; the buffer does not change.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static GoAwayFrame decode(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.reserved(TYPE, RESERVED_OFFSET, Fields.uint16(body, RESERVED_OFFSET));
            Fields.within(TYPE, "length of text", body.remaining() - TEXT_OFFSET, 0, Protocol.MAX_TEXT);
            return new GoAwayFrame(
                    Fields.uint16(body, CODE_OFFSET),
                    Fields.int32(body, CLOSES_IN_OFFSET),
                    Fields.text(body, TEXT_OFFSET));
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }
}

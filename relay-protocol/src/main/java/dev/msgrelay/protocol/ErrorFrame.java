package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * ERROR, a control frame: the sender closes the connection after it, with a reason.
 *
 * <p>{@code docs/protocol.md} has the layout.
 */
public final class ErrorFrame {
    private static final int TYPE = ControlFrames.ERROR;

    private static final int CODE_OFFSET = 0;
    private static final int TEXT_OFFSET = CODE_OFFSET + Short.BYTES;

    /** Bytes of the body without text. */
    public static final int MIN_LENGTH = TEXT_OFFSET;

    /** Longest text in bytes, sent or taken from a peer; a longer one is cut at a character. */
    public static final int MAX_TEXT = Protocol.MAX_TEXT;

    private ErrorFrame() {}

    /** A whole ERROR frame, ready to be written. */
    public static ByteBuffer encode(CloseReason reason, String text) {
        byte[] utf8 = Fields.cutText(text);
        return Fields.frame(TYPE, MIN_LENGTH + utf8.length)
                .putShort((short) reason.code())
                .put(utf8)
                .flip();
    }

    /**
     * Checks an ERROR's body, between position and limit. An unknown code is accepted, and so is any text. The getters
     * do not need this check.
     *
     * @throws FrameException the code is missing, or 0
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "code", code(body), 1, 0xFFFF);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The code of an ERROR frame's body; 0: the body is too short to have one. */
    public static int code(ByteBuffer body) {
        return body.remaining() < MIN_LENGTH ? 0 : Fields.uint16(body, CODE_OFFSET);
    }

    /** The text of an ERROR frame's body; allocates. */
    public static String text(ByteBuffer body) {
        return Fields.text(body, TEXT_OFFSET);
    }
}

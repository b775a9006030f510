package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * ERROR, a control frame: the sender closes the connection after it, and says why.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                     Type = 0x80000009                         |
 *  +---------------------------------------------------------------+
 *  |                  Length of the body (int32)                   |
 *  +-------------------------------+-------------------------------+
 *  |  Code (uint16, CloseReason)   |  Text (UTF-8, to the end)    ...
 *  +-------------------------------+-------------------------------+
 * </pre>
 */
public final class ErrorFrame {
    private static final int CODE_OFFSET = 0;
    private static final int TEXT_OFFSET = CODE_OFFSET + Short.BYTES;

    /** Longest text, in bytes, that is sent; a longer one is cut at a character. */
    public static final int MAX_TEXT = 512;

    private ErrorFrame() {}

    /** A whole ERROR frame, ready to be written. */
    public static ByteBuffer encode(CloseReason reason, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = utf8.length;
        if (length > MAX_TEXT) {
            length = MAX_TEXT;
            while (length > 0 && (utf8[length] & 0xC0) == 0x80) {
                length--;
            }
        }
        int bodyLength = TEXT_OFFSET + length;
        ByteBuffer frame = ByteBuffer.allocate(FrameLayout.frameLength(bodyLength));
        frame.putInt(ControlFrames.ERROR)
                .putInt(bodyLength)
                .putShort((short) reason.code())
                .put(utf8, 0, length)
                .flip();
        return frame;
    }

    /** The code of an ERROR frame's body, or 0 where the body is too short to hold one. */
    public static int code(ByteBuffer body) {
        return body.remaining() < TEXT_OFFSET ? 0 : body.getShort(body.position() + CODE_OFFSET) & 0xFFFF;
    }

    /** The text of an ERROR frame's body; allocates. */
    public static String text(ByteBuffer body) {
        if (body.remaining() <= TEXT_OFFSET) {
            return "";
        }
        ByteBuffer text = body.duplicate();
        text.position(body.position() + TEXT_OFFSET);
        return StandardCharsets.UTF_8.decode(text).toString();
    }
}

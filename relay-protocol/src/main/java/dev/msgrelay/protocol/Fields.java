package dev.msgrelay.protocol;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The fields of control frames: one way to check, read and write them, so that each error names the frame, the field,
 * the value and the limit. Offsets are relative to the start of the body, which is the buffer's position.
 */
final class Fields {
    /** Bytes before the characters of a string. */
    static final int STRING_PREFIX = Short.BYTES;

    private Fields() {}

    /** A field that breaks a rule: a caller's mistake in a frame to be sent, a peer's in a received one. */
    static final class Invalid extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        Invalid(int frame, String what) {
            super(ControlFrames.name(frame) + ": " + what);
        }

        FrameException malformed() {
            return new FrameException(CloseReason.MALFORMED_CONTROL, getMessage());
        }
    }

    // ---- checks -----------------------------------------------------------------------------------------------

    /** Checks that the body has all of its fixed part. */
    static void length(int frame, ByteBuffer body, int least) {
        if (body.remaining() < least) {
            throw new Invalid(frame, "body of " + body.remaining() + " bytes is shorter than its fields of " + least);
        }
    }

    /** Checks that the body does not end within a field of variable length. */
    static void room(int frame, String field, ByteBuffer body, int offset, int bytes) {
        if (body.remaining() - offset < bytes) {
            throw new Invalid(
                    frame,
                    "body of " + body.remaining() + " bytes ends within " + field + ", which needs "
                            + (offset + bytes));
        }
    }

    static void within(int frame, String field, long value, long min, long max) {
        if (value < min || value > max) {
            throw new Invalid(frame, field + " " + value + " is not within " + min + ".." + max);
        }
    }

    static void heartbeat(int frame, int millis) {
        within(
                frame,
                "heartbeat in milliseconds",
                millis,
                Protocol.MIN_HEARTBEAT_MILLIS,
                Protocol.MAX_HEARTBEAT_MILLIS);
    }

    /** Checks an interval, which is unsigned on the wire. */
    static void interval(int frame, int millis) {
        within(
                frame,
                "interval in milliseconds",
                Integer.toUnsignedLong(millis),
                Protocol.MIN_INTERVAL_MILLIS,
                Protocol.MAX_INTERVAL_MILLIS);
    }

    /** Checks that a field is 0; {@code why} ends the message. */
    static void zero(int frame, String field, long value, String why) {
        if (value != 0) {
            throw new Invalid(frame, field + " " + value + " is not 0" + why);
        }
    }

    static void reserved(int frame, int offset, long value) {
        if (value != 0) {
            throw new Invalid(frame, "reserved field at " + offset + " is " + value + ", not 0");
        }
    }

    // ---- integers ---------------------------------------------------------------------------------------------

    static int uint8(ByteBuffer body, int offset) {
        return body.get(body.position() + offset) & 0xFF;
    }

    static int uint16(ByteBuffer body, int offset) {
        return body.getShort(body.position() + offset) & 0xFFFF;
    }

    static int int32(ByteBuffer body, int offset) {
        return body.getInt(body.position() + offset);
    }

    static long int64(ByteBuffer body, int offset) {
        return body.getLong(body.position() + offset);
    }

    // ---- strings: uint16 length in bytes, UTF-8 ---------------------------------------------------------------

    /** Reads a string; {@link #utf8} checks its text where it is used. */
    static String string(int frame, String field, ByteBuffer body, int offset) {
        room(frame, "the length of " + field, body, offset, STRING_PREFIX);
        int length = uint16(body, offset);
        within(frame, "length of " + field, length, 0, Protocol.MAX_NAME);
        room(frame, field, body, offset + STRING_PREFIX, length);
        int start = body.position() + offset + STRING_PREFIX;
        ByteBuffer text = body.duplicate();
        text.limit(start + length).position(start);
        try {
            // A new decoder reports errors; the charset's own methods would replace them.
            return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
        } catch (CharacterCodingException e) {
            throw new Invalid(frame, field + " is not UTF-8 at its byte " + (text.position() - start));
        }
    }

    /**
     * The bytes of a string's text, which must be a name: short, and without characters that would spoil a line of a
     * log.
     */
    static byte[] utf8(int frame, String field, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                String code = HexFormat.of().withUpperCase().toHexDigits(text.charAt(i));
                throw new Invalid(frame, field + " holds the control character U+" + code + " at " + i);
            }
        }
        ByteBuffer encoded;
        try {
            encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new Invalid(frame, field + " is no valid text: " + e.getMessage());
        }
        within(frame, "length of " + field, encoded.remaining(), 0, Protocol.MAX_NAME);
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    // ---- text for people: UTF-8 to the end of the body --------------------------------------------------------

    /** UTF-8 of at most {@link Protocol#MAX_TEXT} bytes, cut between two characters. */
    static byte[] cutText(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = cut(ByteBuffer.wrap(utf8));
        return length == utf8.length ? utf8 : Arrays.copyOf(utf8, length);
    }

    /**
     * The text from {@code offset} to the end, with U+FFFD for bytes that are not UTF-8: only people read it. A longer
     * text than any that is sent is cut in the same way.
     */
    static String text(ByteBuffer body, int offset) {
        if (body.remaining() <= offset) {
            return "";
        }
        ByteBuffer text = body.slice(body.position() + offset, body.remaining() - offset);
        return StandardCharsets.UTF_8.decode(text.limit(cut(text))).toString();
    }

    /** Bytes to keep: all, or as many whole characters as fit {@link Protocol#MAX_TEXT}. */
    private static int cut(ByteBuffer utf8) {
        if (utf8.limit() <= Protocol.MAX_TEXT) {
            return utf8.limit();
        }
        int length = Protocol.MAX_TEXT;
        while (length > 0 && (utf8.get(length) & 0xC0) == 0x80) {
            length--;
        }
        return length;
    }

    // ---- frames -----------------------------------------------------------------------------------------------

    /** A buffer for a whole frame, with the header put; the body follows at the position. */
    static ByteBuffer frame(int type, int bodyLength) {
        return ByteBuffer.allocate(FrameLayout.frameLength(bodyLength))
                .putInt(type)
                .putInt(bodyLength);
    }

    /**
     * Puts a header at the position, moves the position behind the frame, and returns the offset of the body.
     *
     * @throws BufferOverflowException the frame does not fit; nothing has been put
     */
    static int putHeader(ByteBuffer target, int type, int bodyLength) {
        int start = target.position();
        int frameLength = FrameLayout.frameLength(bodyLength);
        if (target.remaining() < frameLength) {
            throw new BufferOverflowException();
        }
        FrameLayout.putHeader(target, start, type, bodyLength);
        target.position(start + frameLength);
        return start + FrameLayout.HEADER_LENGTH;
    }
}

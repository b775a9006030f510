package dev.msgrelay.protocol.text;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Prints messages for people or as JSON. A body that is printable UTF-8 is shown as text, any other in hex: a
 * stranger's message must not control the terminal. Owned by one thread.
 */
public final class MessagePrinter {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private final PrintWriter out;
    private final boolean json;
    private final boolean alwaysHex;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final StringBuilder line = new StringBuilder();

    public MessagePrinter(PrintWriter out, boolean json, boolean alwaysHex) {
        this.out = out;
        this.json = json;
        this.alwaysHex = alwaysHex;
    }

    /**
     * Prints one line; the body does not change.
     *
     * @param sequence the message's sequence; 0: unknown, and not shown
     */
    public void print(long sequence, int type, ByteBuffer body) {
        CharSequence text = alwaysHex ? null : printable(body);
        line.setLength(0);
        if (json) {
            line.append("{\"event\":\"message\"");
            if (sequence > 0) {
                line.append(",\"sequence\":").append(sequence);
            }
            line.append(",\"type\":").append(type);
            line.append(",\"length\":").append(body.remaining());
            line.append(text != null ? ",\"text\":\"" : ",\"hex\":\"");
            appendBody(text, body);
            line.append("\"}");
        } else {
            if (sequence > 0) {
                line.append("sequence ").append(sequence).append(", ");
            }
            line.append("type ").append(type).append(", ").append(body.remaining());
            line.append(text != null ? " bytes: " : " bytes, hex: ");
            appendBody(text, body);
        }
        out.append(line).println();
    }

    private void appendBody(CharSequence text, ByteBuffer body) {
        if (text == null) {
            for (int i = body.position(); i < body.limit(); i++) {
                byte b = body.get(i);
                line.append(DIGITS[b >> 4 & 0xF]).append(DIGITS[b & 0xF]);
            }
        } else if (json) {
            PrintableText.appendEscaped(line, text);
        } else {
            line.append(text);
        }
    }

    /** The body as text; null: it is not UTF-8, or has characters that are not printable. */
    private CharSequence printable(ByteBuffer body) {
        CharBuffer text;
        try {
            text = decoder.decode(body.duplicate());
        } catch (CharacterCodingException e) {
            return null;
        }
        return text.codePoints().allMatch(PrintableText::isPrintable) ? text : null;
    }
}

package dev.msgrelay.protocol.text;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Prints messages for people or as JSON. For people a body that is printable UTF-8 is shown as text, any other in hex:
 * a stranger's message must not control the terminal. Owned by one thread.
 */
public final class MessagePrinter {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private final PrintWriter out;
    private final boolean json;
    private final boolean alwaysHex;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final StringBuilder line = new StringBuilder();

    /** @param alwaysHex whether people get all bodies in hex; not with {@code json} */
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
        line.setLength(0);
        if (json) {
            appendJson(sequence, type, body);
        } else {
            appendWords(sequence, type, body);
        }
        out.append(line).println();
    }

    /** Any UTF-8 is a string; the bytes of other bodies go in base64. */
    private void appendJson(long sequence, int type, ByteBuffer body) {
        line.append("{\"event\":\"message\"");
        if (sequence > 0) {
            line.append(",\"sequence\":").append(sequence);
        }
        line.append(",\"type\":").append(type);
        line.append(",\"length\":").append(body.remaining());
        CharSequence text = text(body);
        if (text != null) {
            line.append(",\"body\":\"");
            PrintableText.appendEscaped(line, text);
        } else {
            byte[] bytes = new byte[body.remaining()];
            body.get(body.position(), bytes);
            line.append(",\"base64\":\"").append(Base64.getEncoder().encodeToString(bytes));
        }
        line.append("\"}");
    }

    private void appendWords(long sequence, int type, ByteBuffer body) {
        if (sequence > 0) {
            line.append("sequence ").append(sequence).append(", ");
        }
        line.append("type ").append(type).append(", ").append(body.remaining());
        CharSequence text = alwaysHex ? null : text(body);
        if (text != null && text.codePoints().allMatch(PrintableText::isPrintable)) {
            line.append(" bytes: ").append(text);
            return;
        }
        line.append(" bytes, hex: ");
        for (int i = body.position(); i < body.limit(); i++) {
            byte b = body.get(i);
            line.append(DIGITS[b >> 4 & 0xF]).append(DIGITS[b & 0xF]);
        }
    }

    /** The body as text; null: it is not UTF-8. */
    private CharSequence text(ByteBuffer body) {
        try {
            return decoder.decode(body.duplicate());
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}

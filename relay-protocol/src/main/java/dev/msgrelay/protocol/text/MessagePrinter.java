package dev.msgrelay.protocol.text;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Prints messages for people or as JSON. For people a body that is printable UTF-8 is shown as text, any other in hex:
 * a stranger's message must not control the terminal. A body is printed in pieces, so that memory does not grow with
 * it. Owned by one thread.
 */
public final class MessagePrinter {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    /** Bytes of a piece: a multiple of 3, so that the base64 of pieces is that of the body. */
    private static final int PIECE = 3 << 11;

    private final PrintWriter out;
    private final boolean json;
    private final boolean alwaysHex;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    // No piece has more characters than bytes.
    private final CharBuffer chars = CharBuffer.allocate(PIECE);
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
            printJson(sequence, type, body);
        } else {
            printWords(sequence, type, body);
        }
        out.append(line).println();
    }

    /** Any UTF-8 is a string; the bytes of other bodies go in base64. */
    private void printJson(long sequence, int type, ByteBuffer body) {
        line.append("{\"event\":\"message\"");
        if (sequence > 0) {
            line.append(",\"sequence\":").append(sequence);
        }
        line.append(",\"type\":").append(type);
        line.append(",\"length\":").append(body.remaining());
        if (isText(body, piece -> true)) {
            line.append(",\"body\":\"");
            appendText(body, piece -> PrintableText.appendEscaped(line, piece));
        } else {
            line.append(",\"base64\":\"");
            appendBase64(body);
        }
        line.append("\"}");
    }

    private void printWords(long sequence, int type, ByteBuffer body) {
        if (sequence > 0) {
            line.append("sequence ").append(sequence).append(", ");
        }
        line.append("type ").append(type).append(", ").append(body.remaining());
        if (!alwaysHex && isText(body, piece -> piece.codePoints().allMatch(PrintableText::isPrintable))) {
            line.append(" bytes: ");
            appendText(body, line::append);
            return;
        }
        line.append(" bytes, hex: ");
        for (int i = body.position(); i < body.limit(); i++) {
            byte b = body.get(i);
            line.append(DIGITS[b >> 4 & 0xF]).append(DIGITS[b & 0xF]);
            printPiece();
        }
    }

    private void appendBase64(ByteBuffer body) {
        byte[] piece = new byte[Math.min(PIECE, body.remaining())];
        for (int at = body.position(); at < body.limit(); at += piece.length) {
            int bytes = Math.min(piece.length, body.limit() - at);
            body.get(at, piece, 0, bytes);
            ByteBuffer encoded = Base64.getEncoder().encode(ByteBuffer.wrap(piece, 0, bytes));
            line.append(StandardCharsets.ISO_8859_1.decode(encoded));
            printPiece();
        }
    }

    /** Prints the begin of a line that has become long. */
    private void printPiece() {
        if (line.length() >= PIECE) {
            out.append(line);
            line.setLength(0);
        }
    }

    /** Whether the body is UTF-8 whose characters are all accepted. */
    private boolean isText(ByteBuffer body, Predicate<CharSequence> accepted) {
        decoder.reset();
        ByteBuffer bytes = body.duplicate();
        CoderResult result;
        do {
            result = decode(bytes);
            if (result.isError() || !accepted.test(chars)) {
                return false;
            }
        } while (result.isOverflow());
        return true;
    }

    /** Appends a body that {@link #isText}; that of one piece is decoded already. */
    private void appendText(ByteBuffer body, Consumer<CharSequence> appender) {
        if (body.remaining() <= PIECE) {
            appender.accept(chars);
            return;
        }
        decoder.reset();
        ByteBuffer bytes = body.duplicate();
        CoderResult result;
        do {
            result = decode(bytes);
            appender.accept(chars);
            printPiece();
        } while (result.isOverflow());
    }

    /** Decodes the next piece, which ends with a whole character. */
    private CoderResult decode(ByteBuffer bytes) {
        CoderResult result = decoder.decode(bytes, chars.clear(), true);
        chars.flip();
        return result;
    }
}

package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The bytes that are printed for a message: text with {@code %s} for its sequence, 0 if unknown, {@code %t} for its
 * type, {@code %b} for its body as it is, {@code %h} for the body in hex, {@code %%} for a percent sign. Nothing is
 * added, not even an end of line.
 */
record MessageFormat(List<Part> parts) {
    /**
     * A part.
     *
     * @param letter of the field, {@link #HEADER}; 0: text
     * @param text bytes of a text
     */
    private record Part(char letter, byte[] text) {}

    private static final String LETTERS = "stbh";

    /** The header of a frame, which no format names. */
    private static final char HEADER = 'f';

    /** Bytes of a body that are printed at once: memory does not grow with the body. */
    private static final int PIECE = 8 << 10;

    /** Bodies alone, each with {@code end} behind it. */
    static MessageFormat bodies(byte[] end) {
        return new MessageFormat(List.of(new Part('b', null), new Part((char) 0, end)));
    }

    /** Messages in the form that they have on the wire: type and length of 32 bits each, big-endian, then the body. */
    static MessageFormat frames() {
        return new MessageFormat(List.of(new Part(HEADER, null), new Part('b', null)));
    }

    /**
     * Reads a format.
     *
     * @throws IllegalArgumentException the message names what is unknown
     */
    static MessageFormat parse(String text) {
        List<Part> parts = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int percent = text.indexOf('%', at);
            int end = percent < 0 ? text.length() : percent;
            parts.add(new Part((char) 0, Escapes.bytes(text, at, end)));
            at = end;
            if (percent >= 0) {
                char letter = percent + 1 < text.length() ? text.charAt(percent + 1) : ' ';
                if (letter != '%' && LETTERS.indexOf(letter) < 0) {
                    throw new IllegalArgumentException("format '" + text + "' has '%" + (letter == ' ' ? "" : letter)
                            + "': there are %s sequence, %t type, %b body, %h body in hex, and %%");
                }
                parts.add(letter == '%' ? new Part((char) 0, new byte[] {'%'}) : new Part(letter, null));
                at = percent + 2;
            }
        }
        return new MessageFormat(List.copyOf(parts));
    }

    /** A printer to {@code out}, whose failures its owner looks for. */
    MessageHandler printer(OutputStream out) {
        byte[] piece = new byte[PIECE];
        return (sequence, type, body) -> {
            try {
                print(out, sequence, type, body, piece);
            } catch (IOException e) {
                // The output keeps its failure, and the command looks at it behind every read.
            }
        };
    }

    private void print(OutputStream out, long sequence, int type, ByteBuffer body, byte[] piece) throws IOException {
        for (Part part : parts) {
            switch (part.letter) {
                case 's' -> out.write(ascii(Long.toString(sequence)));
                case 't' -> out.write(ascii(Integer.toString(type)));
                case HEADER -> {
                    ByteBuffer.wrap(piece).putInt(type).putInt(body.remaining());
                    out.write(piece, 0, FrameLayout.HEADER_LENGTH);
                }
                case 'b', 'h' -> printBody(out, body, part.letter == 'h', piece);
                default -> out.write(part.text);
            }
        }
    }

    private static void printBody(OutputStream out, ByteBuffer body, boolean hex, byte[] piece) throws IOException {
        for (int at = body.position(); at < body.limit(); at += piece.length) {
            int bytes = Math.min(piece.length, body.limit() - at);
            body.get(at, piece, 0, bytes);
            if (hex) {
                out.write(ascii(HexFormat.of().formatHex(piece, 0, bytes)));
            } else {
                out.write(piece, 0, bytes);
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

package dev.msgrelay.client.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Text of the command line with escapes for bytes that a shell does not pass on: \n \t \r \0 \\ and \xHH. */
final class Escapes {
    private static final int HEX_DIGITS = 2;

    private Escapes() {}

    /**
     * The bytes, in UTF-8.
     *
     * @throws IllegalArgumentException the message names the escape
     */
    static byte[] bytes(String text) {
        return bytes(text, 0, text.length());
    }

    /**
     * The bytes of a part of the text, in UTF-8.
     *
     * @throws IllegalArgumentException the message names the escape, and its place in the whole text
     */
    static byte[] bytes(String text, int from, int to) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = from;
        while (at < to) {
            int next = text.indexOf('\\', at);
            next = next < 0 || next > to ? to : next;
            bytes.writeBytes(text.substring(at, next).getBytes(StandardCharsets.UTF_8));
            at = next == to ? next : next + escape(text, next, to, bytes);
        }
        return bytes.toByteArray();
    }

    /** Appends the byte of the escape at {@code at}, which ends before {@code to}; returns the escape's length. */
    private static int escape(String text, int at, int to, ByteArrayOutputStream bytes) {
        char letter = at + 1 < to ? text.charAt(at + 1) : ' ';
        int plain = "ntr0\\".indexOf(letter);
        if (plain >= 0) {
            bytes.write("\n\t\r\0\\".charAt(plain));
            return 2;
        }
        int end = at + 2 + HEX_DIGITS;
        if (letter == 'x' && end <= to) {
            try {
                bytes.write(HexFormat.fromHexDigits(text, at + 2, end));
                return end - at;
            } catch (NumberFormatException e) {
                // Refused below, like every other letter.
            }
        }
        throw new IllegalArgumentException("'" + text + "' has an unknown escape behind its character " + at
                + ": there are \\n \\t \\r \\0 \\\\ and \\xHH");
    }
}

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
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = 0;
        while (at < text.length()) {
            int next = text.indexOf('\\', at);
            next = next < 0 ? text.length() : next;
            bytes.writeBytes(text.substring(at, next).getBytes(StandardCharsets.UTF_8));
            at = next == text.length() ? next : next + escape(text, next, bytes);
        }
        return bytes.toByteArray();
    }

    /** Appends the byte of the escape at {@code at}; returns the escape's length. */
    private static int escape(String text, int at, ByteArrayOutputStream bytes) {
        char letter = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
        int plain = "ntr0\\".indexOf(letter);
        if (plain >= 0) {
            bytes.write("\n\t\r\0\\".charAt(plain));
            return 2;
        }
        int end = at + 2 + HEX_DIGITS;
        if (letter == 'x' && end <= text.length()) {
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

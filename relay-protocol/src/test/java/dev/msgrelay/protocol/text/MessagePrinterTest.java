package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A long body is printed as a short one is, but in pieces. */
class MessagePrinterTest {
    private static final int PIECE = 6 << 10;

    /** Characters of one to four bytes, whose borders are nowhere near those of the pieces. */
    private static final String MIXED = "aä€😀\"\\";

    private static String printed(boolean json, boolean hex, byte[] body) {
        StringWriter out = new StringWriter();
        try (PrintWriter writer = new PrintWriter(out)) {
            new MessagePrinter(writer, json, hex).print(5, 7, ByteBuffer.wrap(body));
        }
        return out.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, PIECE - 3, PIECE - 2, PIECE - 1, PIECE, PIECE + 1, PIECE + 2, 3 * PIECE, 100_000})
    void aBodyOfAnyLength(int length) {
        String head = "sequence 5, type 7, " + length + " bytes";
        String json = "{\"event\":\"message\",\"sequence\":5,\"type\":7,\"length\":" + length;
        String end = "\n";

        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        if (length > 0) {
            // A character that is cut off at the end, which shows last of all.
            bytes[length - 1] = (byte) 0xC3;
            assertThat(printed(false, false, bytes))
                    .isEqualTo(head + ", hex: " + HexFormat.of().formatHex(bytes) + end);
            assertThat(printed(true, false, bytes))
                    .isEqualTo(json + ",\"base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}" + end);
        }
        assertThat(printed(false, true, bytes))
                .isEqualTo(head + ", hex: " + HexFormat.of().formatHex(bytes) + end);

        StringBuilder text = new StringBuilder();
        for (int i = 0; i + 12 < length; i += 12) {
            text.append(MIXED);
        }
        byte[] utf8 = text.toString().getBytes(StandardCharsets.UTF_8);
        String of = head.replace(" " + length + " ", " " + utf8.length + " ");
        assertThat(printed(false, false, utf8)).isEqualTo(of + ": " + text + end);
        StringBuilder escaped = new StringBuilder();
        PrintableText.appendEscaped(escaped, text);
        assertThat(printed(true, false, utf8))
                .isEqualTo(json.replace("\":" + length, "\":" + utf8.length) + ",\"body\":\"" + escaped + "\"}" + end);
    }

    /** The last character decides whether all of it is text. */
    @Test
    void aLongTextWithOneBadCharacter() {
        byte[] text = "a".repeat(5 * PIECE).getBytes(StandardCharsets.UTF_8);
        text[text.length - 1] = 27;
        assertThat(printed(false, false, text)).contains(" bytes, hex: 6161").endsWith("611b" + "\n");
        assertThat(printed(true, false, text)).endsWith("a\\u001b\"}" + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"words", "hex", "json", "base64"})
    void noMoreThanAPieceIsHeld(String form) {
        byte[] body = new byte[1 << 20];
        new Random(1).nextBytes(body);
        if (form.equals("words") || form.equals("json")) {
            body = (form.equals("json") ? "\u0001" : "a").repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
        }
        LongestWrite out = new LongestWrite();
        try (PrintWriter writer = new PrintWriter(out)) {
            new MessagePrinter(writer, form.equals("json") || form.equals("base64"), form.equals("hex"))
                    .print(0, 1, ByteBuffer.wrap(body));
        }
        // Six characters for the longest escape, and what stands before the first piece.
        assertThat(out.longest).isBetween(PIECE, 6 * PIECE + 200);
        assertThat(out.all).isGreaterThan(1 << 20);
    }

    private static final class LongestWrite extends Writer {
        private int longest;
        private long all;

        @Override
        public void write(char[] text, int offset, int length) {
            longest = Math.max(longest, length);
            all += length;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}

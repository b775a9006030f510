package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others have said shows, and does nothing else. */
class PrintableTextTest {
    private static final String GOOD = "M\u00FCnchen \u2013 2\t\uD83D\uDC69\u200D\uD83D\uDE80";

    /**
     * New line, ESC, DEL, the one-character CSI, separators, right-to-left override, private, half a character, none.
     */
    @ParameterizedTest
    @ValueSource(
            ints = {
                '\n', '\r', 0, 0x1B, 0x7F, 0x9B, 0x2028, 0x2029, 0x202E, 0x200B, 0xE000, 0xD800, 0xDFFF, 0x378, 0xE0001
            })
    void nothingThatATerminalObeys(int codePoint) {
        String bad =
                new StringBuilder("a").appendCodePoint(codePoint).append('b').toString();
        assertThat(PrintableText.isPrintable(codePoint)).isFalse();
        assertThat(PrintableText.line(bad)).isEqualTo("a\uFFFDb");
    }

    @Test
    void whatIsGoodStaysAsItIs() {
        assertThat(PrintableText.line(GOOD)).isSameAs(GOOD);
        StringBuilder json = new StringBuilder("x");
        PrintableText.appendEscaped(json, "\"\\\t" + GOOD);
        assertThat(json).hasToString("x\\\"\\\\\\t" + GOOD.replace("\t", "\\t"));
    }

    private static String printed(boolean json, boolean hex, long sequence, byte... body) {
        StringWriter out = new StringWriter();
        ByteBuffer whole =
                ByteBuffer.allocate(body.length + 2).put(1, body).position(1).limit(1 + body.length);
        try (PrintWriter writer = new PrintWriter(out)) {
            MessagePrinter printer = new MessagePrinter(writer, json, hex);
            printer.print(sequence, -7, whole);
            printer.print(sequence, -7, whole);
        }
        assertThat(whole.position()).as("the body is left as it was").isEqualTo(1);
        assertThat(out.toString().lines()).hasSize(2);
        assertThat(out.toString().lines().distinct())
                .as("each is a line of its own")
                .hasSize(1);
        return out.toString().lines().findFirst().orElseThrow();
    }

    @Test
    void aMessageIsALine() {
        byte[] text = "a\"b".getBytes(StandardCharsets.UTF_8);
        assertThat(printed(false, false, 0, text)).isEqualTo("type -7, 3 bytes: a\"b");
        assertThat(printed(false, false, 12, text)).isEqualTo("sequence 12, type -7, 3 bytes: a\"b");
        assertThat(printed(false, true, 12, text)).isEqualTo("sequence 12, type -7, 3 bytes, hex: 612262");
        assertThat(printed(false, false, 0, (byte) 0xC3)).isEqualTo("type -7, 1 bytes, hex: c3");
        assertThat(printed(false, false, 0, (byte) 27, (byte) '[')).isEqualTo("type -7, 2 bytes, hex: 1b5b");
        String event = "{\"event\":\"message\",";
        assertThat(printed(true, false, 0, text)).isEqualTo(event + "\"type\":-7,\"length\":3,\"body\":\"a\\\"b\"}");
        assertThat(printed(true, false, 12, (byte) 0xC3, (byte) 0))
                .isEqualTo(event + "\"sequence\":12,\"type\":-7,\"length\":2,\"base64\":\"wwA=\"}");
        assertThat(printed(true, false, 0, (byte) 27, (byte) '\n'))
                .isEqualTo(event + "\"type\":-7,\"length\":2,\"body\":\"\\u001b\\n\"}");
    }
}

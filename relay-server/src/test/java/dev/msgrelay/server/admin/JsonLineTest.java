package dev.msgrelay.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class JsonLineTest {
    @Test
    void anObjectInOneLine() {
        JsonLine line = JsonLine.event("test", Instant.parse("2026-01-02T03:04:05.678901Z"))
                .number("n", -1)
                .object("in", none -> {})
                .object("more", more -> more.text("a", "").decimal("b", 1.0005))
                .text("nothing", null);
        assertThat(line.toLine())
                .isEqualTo("{\"event\":\"test\",\"time\":\"2026-01-02T03:04:05.678Z\",\"n\":-1,\"in\":{},"
                        + "\"more\":{\"a\":\"\",\"b\":1.001},\"nothing\":null}");
    }

    @Test
    void decimals() {
        assertThat(new JsonLine()
                        .decimal("a", 0)
                        .decimal("b", -0.0001)
                        .decimal("c", -2.5)
                        .decimal("d", 12_345_678.9)
                        .toLine())
                .isEqualTo("{\"a\":0.000,\"b\":0.000,\"c\":-2.500,\"d\":12345678.900}");
    }

    @Test
    void everyCharacterIsAscii() {
        String all = "\"\\/\b\f\n\r\t\u0000\u001f\u007f\u0085\u2028\u00fc\ud83d\ude00\ud83d";
        assertThat(new JsonLine().text("x", all).toLine())
                .isEqualTo("{\"x\":\"\\\"\\\\/\\u0008\\u000c\\u000a\\u000d\\u0009\\u0000\\u001f\\u007f\\u0085\\u2028"
                        + "\\u00fc\\ud83d\\ude00\\ud83d\"}");
    }
}

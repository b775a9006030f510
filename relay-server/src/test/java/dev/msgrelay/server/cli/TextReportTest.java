package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.text.TextWidth;
import dev.msgrelay.server.figures.ConnectionRow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Text for people keeps to its width. */
class TextReportTest {
    @Test
    void theWidestRowHas120Characters() {
        ConnectionRow row = new ConnectionRow(
                999_999,
                "n".repeat(200),
                "",
                "[2001:db8:1111:2222:3333:4444:5555:6666]:65535",
                false,
                "connected",
                "something long",
                Policy.BACKPRESSURE,
                0,
                "1-999999,2000000-3000000",
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                ConnectionRow.LIVE,
                0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                999_600_000_000.0,
                TimeUnit.DAYS.toMillis(999));
        assertThat(TextReport.row(row))
                .isEqualTo(
                        "999999 nnnnnnnnnnn~ ~444:5555:6666]:65535 sub backpressure 1-999999~ 9.22 EB 9.22 EB  1.00 T"
                                + " 999d connected somethin~")
                .hasSizeLessThanOrEqualTo(120);
    }

    @Test
    void anIntervalStandsBesideThePolicy() {
        assertThat(TextReport.row(latest(500))).contains(" sub latest 500ms all ");
        assertThat(TextReport.row(latest(3_599_999))).contains(" sub latest 3599~ all ");
        assertThat(TextReport.row(latest(0))).contains(" sub latest       all ");
    }

    private static ConnectionRow latest(int interval) {
        return new ConnectionRow(
                7,
                "",
                "",
                "127.0.0.1:40000",
                false,
                "open",
                "",
                Policy.LATEST,
                interval,
                "",
                0,
                0,
                0,
                ConnectionRow.LIVE,
                0,
                12,
                120,
                0,
                1,
                1500);
    }

    @Test
    void wideNamesKeepTheColumns() {
        String plain = TextReport.row(named("abc"));
        for (String name : new String[] {
            "日本",
            "日本語の名前です",
            "e\u0301",
            "\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00\uD83D\uDE00"
        }) {
            String row = TextReport.row(named(name));
            int address = row.indexOf("127.0.0.1");
            assertThat(TextWidth.of(row.substring(0, address))).as(row).isEqualTo(plain.indexOf("127.0.0.1"));
            assertThat(row.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF))
                    .as(row)
                    .isFalse();
        }
    }

    private static ConnectionRow named(String name) {
        return new ConnectionRow(
                7,
                name,
                "",
                "127.0.0.1:40000",
                true,
                "plain",
                "room",
                Policy.RELAY_DEFAULT,
                0,
                "",
                0,
                0,
                0,
                ConnectionRow.LIVE,
                0,
                12,
                120,
                0,
                12_900_000,
                1500);
    }

    @Test
    void aPublisherHasNoCursor() {
        assertThat(TextReport.row(named("")).split("\\s+"))
                .containsExactly("", "7", "127.0.0.1:40000", "pub", "12.9", "M", "1s", "plain", "room");
    }
}

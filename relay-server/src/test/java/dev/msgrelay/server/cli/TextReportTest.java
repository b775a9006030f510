package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.ops.ConnectionRow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                "1-999999,2000000-3000000",
                Long.MAX_VALUE,
                Long.MAX_VALUE,
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
    void aPublisherHasNoCursor() {
        ConnectionRow row = new ConnectionRow(
                7,
                "",
                "",
                "127.0.0.1:40000",
                true,
                "plain",
                "room",
                Policy.RELAY_DEFAULT,
                "",
                0,
                0,
                0,
                12,
                120,
                12_900_000,
                1500);
        assertThat(TextReport.row(row).split("\\s+"))
                .containsExactly("", "7", "127.0.0.1:40000", "pub", "12.9", "M", "1s", "plain", "room");
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 0 B",
        "0, 0 B",
        "999, 999 B",
        "999.4, 999 B",
        "999.5, 1.00 kB",
        "1000, 1.00 kB",
        "9994, 9.99 kB",
        "9996, 10.0 kB",
        "99940, 99.9 kB",
        "99960, 100 kB",
        "999499, 999 kB",
        "999500, 1.00 MB",
        "12900000, 12.9 MB",
        "9.3e18, 9.30 EB",
        "9.3e21, 9300 EB",
    })
    void threeDigits(double value, String text) {
        assertThat(ShortText.of(value, "B")).isEqualTo(text);
    }

    @Test
    void rates() {
        assertThat(ShortText.of(12, "msg/s")).isEqualTo("12 msg/s");
        assertThat(ShortText.of(12_900_000, "msg/s")).isEqualTo("12.9 M msg/s");
        assertThat(ShortText.of(1.39e9, "B/s")).isEqualTo("1.39 GB/s");
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "99999, 99s", "100000, 1m", "5999000, 99m", "6000000, 1h", "359999000, 99h", "360000000, 4d"})
    void ages(long millis, String text) {
        assertThat(ShortText.age(millis)).isEqualTo(text);
    }
}

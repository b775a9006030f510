package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers of at most six characters. */
class ShortTextTest {
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
        assertThat(ShortText.of(value)).hasSizeLessThanOrEqualTo(ShortText.WIDTH);
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

    @Test
    void whatIsCutIsMarked() {
        assertThat(ShortText.cut("abcdef", 6)).isEqualTo("abcdef");
        assertThat(ShortText.cut("abcdefg", 6)).isEqualTo("abcde~");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "0 0",
                "999 999",
                "1000 1,000",
                "99999 99,999",
                "588895 588,895",
                "1000000 1,000,000",
                "-999 -999",
                "-1000 -1,000",
                "-123456 -123,456",
                "9223372036854775807 9,223,372,036,854,775,807",
                "-9223372036854775808 -9,223,372,036,854,775,808",
            })
    void groups(long number, String text) {
        assertThat(ShortText.grouped(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, message, 0 messages",
        "1, message, 1 message",
        "2, message, 2 messages",
        "1, day, 1 day",
        "7, day, 7 days",
        "3, key, 3 keys",
        "1, identity, 1 identity",
        "2, identity, 2 identities",
    })
    void nouns(long number, String one, String text) {
        assertThat(ShortText.counted(number, one)).isEqualTo(text);
    }
}

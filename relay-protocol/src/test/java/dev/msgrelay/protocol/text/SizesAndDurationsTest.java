package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes and durations as people write them. */
class SizesAndDurationsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "65536, 65536",
        "64k, 65536",
        "64K, 65536",
        "64kb, 65536",
        "64KiB, 65536",
        "4m, 4194304",
        "1g, 1073741824",
        "2147483647, 2147483647",
        "' 5k ', 5120"
    })
    void sizes(String text, int bytes) {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5m", "4t", "0x10", "4 m", "m4"})
    void whatIsNoSize(String text) {
        assertThatThrownBy(() -> Sizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' is not a size: a number of bytes, or one with k, m or g behind it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "2g", "2097152k", "999999999999999999", "999999999999999999g"})
    void sizesOverTheLimit(String text) {
        assertThatThrownBy(() -> Sizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' is over the limit of 2147483647 bytes");
    }

    @Test
    void aSizeHasTheLimitThatItsPlaceHas() {
        assertThat(Sizes.parse("512g", Long.MAX_VALUE)).isEqualTo(512L << 30);
        assertThat(Sizes.parse("4k", 4096)).isEqualTo(4096);
        assertThatThrownBy(() -> Sizes.parse("5k", 4096)).hasMessage("'5k' is over the limit of 4096 bytes");
        assertThatThrownBy(() -> Sizes.parse("999999999999999999g", Long.MAX_VALUE))
                .hasMessage("'999999999999999999g' is over the limit of 9223372036854775807 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "5, 5000",
        "5s, 5000",
        "500ms, 500",
        "2m, 120000",
        "12h, 43200000",
        "7d, 604800000",
        "0, 0",
        "' 3S ', 3000",
        "999999999m, 59999999940000"
    })
    void durations(String text, long millis) {
        assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-5s", "1.5s", "5w", "5 s", "9999999999", "soon"})
    void whatIsNoDuration(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' is not a duration like 500ms, 10s or 2m; a bare number is seconds");
    }

    @ParameterizedTest
    @CsvSource({"60m, 60m", "1s, 1s", "250ms, 250ms", "120s, 2m", "61s, 61s", "1500ms, 1500ms", "0, 0s"})
    void aDurationIsWrittenAsItIsRead(String text, String form) {
        Duration duration = Durations.parse(text);
        assertThat(Durations.format(duration)).isEqualTo(form);
        assertThat(Durations.parse(form)).isEqualTo(duration);
    }

    @Test
    void durationsOverTheLimit() {
        Duration hour = Duration.ofHours(1);
        assertThat(Durations.parse("60m", hour)).isEqualTo(hour);
        assertThatThrownBy(() -> Durations.parse("61m", hour))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'61m' is over the limit of 60m");
    }
}

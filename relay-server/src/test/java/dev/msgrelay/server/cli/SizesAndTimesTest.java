package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Sizes and durations as people write them. */
class SizesAndTimesTest {
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
        assertThat(new ByteSize().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5m", "4t", "0x10", "4 m", "m4"})
    void whatIsNoSize(String text) {
        assertThatThrownBy(() -> new ByteSize().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is not a size");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "2g", "2097152k", "999999999999999999", "999999999999999999g"})
    void sizesOverTheLimit(String text) {
        assertThatThrownBy(() -> new ByteSize().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("2147483647");
    }

    @ParameterizedTest
    @CsvSource({"5, 5000", "5s, 5000", "500ms, 500", "2m, 120000", "0, 0", "' 3S ', 3000"})
    void durations(String text, long millis) {
        assertThat(new TimeSpan().convert(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-5s", "1.5s", "5h", "5 s", "9999999999"})
    void whatIsNoDuration(String text) {
        assertThatThrownBy(() -> new TimeSpan().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is not a duration");
    }
}

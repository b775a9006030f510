package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkSpeedTest {
    @ParameterizedTest
    @CsvSource({
        "1gbe,      1000000000,    1 Gbit/s",
        "10GbE,     10000000000,   10 Gbit/s",
        "25gbe,     25000000000,   25 Gbit/s",
        "100gbe,    100000000000,  100 Gbit/s",
        "2.5g,      2500000000,    2.5 Gbit/s",
        "100m,      100000000,     100 Mbit/s",
        "1000Mbit,  1000000000,    1 Gbit/s",
        "940,       940000000,     940 Mbit/s",
        "40Gbit/s,  40000000000,   40 Gbit/s",
        "0.001g,    1000000,       1 Mbit/s",
        "1600g,     1600000000000, 1600 Gbit/s",
    })
    void isReadAndWritten(String text, long bits, String written) {
        LinkSpeed speed = LinkSpeed.parse(text);
        assertThat(speed.bitsPerSecond()).isEqualTo(bits);
        assertThat(speed).hasToString(written);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "fast; 'fast' is not a speed",
                "-1g; '-1g' is not a speed",
                "1kbit; '1kbit' is not a speed",
                "0g; 0 Mbit/s is not within 1 Mbit/s..1600 Gbit/s",
                "0.9m; 0.9 Mbit/s is not within",
                "1601g; 1601 Gbit/s is not within",
                "9999999g; 9999999 Gbit/s is not within",
            })
    void whatIsNoneIsRefused(String text, String message) {
        assertThatThrownBy(() -> LinkSpeed.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}

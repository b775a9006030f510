package dev.msgrelay.loadgen.render;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "COUNT | 0 | 0",
                "COUNT | 950 | 950",
                "COUNT | 999.4 | 999",
                "COUNT | 999.6 | 1 k",
                "COUNT | 10896788 | 10.9 M",
                "COUNT | 234567 | 235 k",
                "BYTES | 117685305.6 | 118 MB",
                "BYTES | 1176853056 | 1.18 GB",
                "BYTES | 12 | 12 B",
                "NANOS | 45 | 45 ns",
                "NANOS | 42000 | 42 µs",
                "NANOS | 1300000 | 1.3 ms",
                "NANOS | 5000000000000 | 5,000 s",
                "SECONDS | 3.2 | 3.2 s",
                "FRACTION | 0.9731 | 97.3 %",
                "PLAIN | 0.1234 | 0.123",
                "PLAIN | 12345 | 12,345",
                "PLAIN | 100 | 100",
                "COUNT | NaN | –",
            })
    void isShown(Unit unit, double value, String text) {
        assertThat(unit.text(value)).isEqualTo(text);
    }
}

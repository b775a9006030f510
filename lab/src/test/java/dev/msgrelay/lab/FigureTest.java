package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0         | 0",
                "0.012345  | 0.0123",
                "4.2       | 4.2",
                "380.6     | 381",
                "100       | 100",
                "14164305  | 14,200,000",
                "NaN       | -",
                "-12.34    | -12.3",
            })
    void threeDigitsAndNoExponent(double value, String text) {
        assertThat(Figure.text(value)).isEqualTo(text);
    }
}

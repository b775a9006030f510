package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodySizesTest {
    @ParameterizedTest
    @ValueSource(strings = {"16", "100", "67108864", "16-1000"})
    void theTextGivesTheSameValueAgain(String text) {
        BodySizes sizes = BodySizes.parse(text);
        assertThat(sizes).hasToString(text);
        assertThat(BodySizes.parse(sizes.toString())).isEqualTo(sizes);
    }

    @Test
    void figuresOfEachForm() {
        assertThat(BodySizes.parse("100").mean()).isEqualTo(100);
        assertThat(BodySizes.parse("100").isFixed()).isTrue();
        BodySizes range = BodySizes.parse("16-1000");
        assertThat(range.mean()).isEqualTo(508);
        assertThat(range.min()).isEqualTo(16);
        assertThat(range.max()).isEqualTo(1000);
        assertThat(range.describe()).isEqualTo("bodies of 16 to 1,000 bytes (mean 508)");
        assertThat(BodySizes.parse("1k").describe()).isEqualTo("1,024-byte bodies");
        assertThat(BodySizes.parse("16-4K")).isEqualTo(new BodySizes(16, 4_096));
        assertThat(BodySizes.parse("100-100")).isEqualTo(BodySizes.fixed(100));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "15            | 15 is not within 16..67108864",
                "-3            | -3 is not within 16..67108864",
                "67108865      | 67108865 is not within 16..67108864",
                "16-           | '16-' is not a number of bytes, such as 100 or 1k, or MIN-MAX, as in 16-1000",
                "1-20          | 1-20: 1 is not within 16..67108864",
                "30-20         | '30-20' starts at 30, above its end at 20",
            })
    void whatIsWrongIsNamed(String text, String message) {
        assertThatThrownBy(() -> BodySizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}

package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextWidthTest {
    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "abc, 3",
        "größe, 5",
        "日本, 4",
        "e\u0301, 1",
        "ｗ, 2",
        "한글, 4",
        "\u1112\u1161\u11AB, 2",
        "\uD83D\uDE00, 2",
        "\u231A, 2",
        "\u2764\uFE0F, 1",
        "\u200B, 0",
        "\u05D0\u05B8, 1",
        "\uD840\uDC0B, 2",
    })
    void columns(String text, int columns) {
        assertThat(TextWidth.of(text)).isEqualTo(columns);
    }

    @ParameterizedTest
    @CsvSource({
        "abcdef, 6, abcdef",
        "abcdefg, 6, abcde~",
        "日本語, 6, 日本語",
        "日本語, 5, 日本~",
        "日本語, 4, 日~",
        "日本語, 1, ~",
        "日本語, 0, ''",
        "\uD83D\uDE00\uD83D\uDE00, 3, \uD83D\uDE00~",
        "\uD83D\uDE00\uD83D\uDE00, 2, ~",
        "ae\u0301b, 2, a~",
        "e\u0301ab, 2, e\u0301~",
        "\uD83D\uDC68\u200D\uD83D\uDC69, 3, \uD83D\uDC68~",
    })
    void nothingIsCutInHalf(String text, int columns, String cut) {
        assertThat(TextWidth.cut(text, columns)).isEqualTo(cut);
        assertThat(ShortText.cut(text, columns)).isEqualTo(cut);
        assertThat(TextWidth.of(TextWidth.left(text, columns))).isEqualTo(columns);
        assertThat(TextWidth.of(TextWidth.right(text, columns))).isEqualTo(columns);
    }

    @ParameterizedTest
    @CsvSource({"abcdef, 6, abcdef", "abcdefg, 6, ~cdefg", "日本語, 4, ~語", "xe\u0301b, 2, ~b", "語, 1, ~", "ab, 0, ''"})
    void fromTheOtherEnd(String text, int columns, String cut) {
        assertThat(TextWidth.cutStart(text, columns)).isEqualTo(cut);
    }

    @Test
    void charsAreNotCutInHalfEither() {
        assertThat(TextWidth.firstChars("a\uD83D\uDE00b", 2)).isEqualTo("a");
        assertThat(TextWidth.firstChars("a\uD83D\uDE00b", 3)).isEqualTo("a\uD83D\uDE00");
        assertThat(TextWidth.firstChars("ab", 5)).isEqualTo("ab");
        assertThat(TextWidth.firstChars("ab", 0)).isEmpty();
    }
}

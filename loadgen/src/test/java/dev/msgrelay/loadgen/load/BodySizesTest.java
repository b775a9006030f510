package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodySizesTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {"16", "100", "67108864", "uniform:16-1000", "sizes:16x3,1000x1", "sizes:20x1000000000000,21x1"})
    void theTextGivesTheSameValueAgain(String text) {
        BodySizes sizes = BodySizes.parse(text);
        assertThat(sizes).hasToString(text);
        assertThat(BodySizes.parse(sizes.toString())).isEqualTo(sizes);
    }

    @Test
    void figuresOfEachForm() {
        assertThat(BodySizes.parse("100").mean()).isEqualTo(100);
        assertThat(BodySizes.parse("100").isFixed()).isTrue();
        assertThat(BodySizes.parse("uniform:16-1000").mean()).isEqualTo(508);
        BodySizes histogram = BodySizes.parse("sizes:1000x1,16x3");
        assertThat(histogram.mean()).isEqualTo((3 * 16 + 1000) / 4.0);
        assertThat(histogram.min()).isEqualTo(16);
        assertThat(histogram.max()).isEqualTo(1000);
        assertThat(histogram.describe()).isEqualTo("bodies of 16 to 1000 bytes (mean 262)");
    }

    @Test
    void oneSizeIsFixedHoweverItIsWritten() {
        assertThat(BodySizes.parse("sizes:100x7")).isEqualTo(BodySizes.fixed(100));
        assertThat(BodySizes.parse("uniform:100-100")).isEqualTo(BodySizes.fixed(100));
    }

    @Test
    void aFileGivesAValueThatNeedsNoFile() throws IOException {
        Path file = file("# bytes, how often\n\n  100 7  # most\n64\t2\n");
        assertThat(BodySizes.parse("file:" + file)).hasToString("sizes:64x2,100x7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''            | has no line of the form SIZE COUNT",
                "100           | line 1: '100' is not SIZE COUNT",
                "100 x         | line 1: '100 x' is not SIZE COUNT",
                "100 1 1       | line 1: '100 1 1' is not SIZE COUNT",
                "# a;15 1      | line 2: 15 is not within 16..67108864",
                "67108865 1    | line 1: 67108865 is not within 16..67108864",
                "20 1;30 0     | line 2: count 0 is not within 1..1000000000000",
                "20 1;30 9999999999999 | line 2: count 9999999999999 is not within 1..1000000000000",
                "20 1;30 2;20 3 | line 3: size 20 is there twice",
            })
    void aWrongLineIsNamed(String lines, String message) throws IOException {
        Path file = file(lines.replace(';', '\n'));
        assertThatThrownBy(() -> BodySizes.parse("file:" + file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + " " + message);
    }

    @Test
    void aFileThatIsNoneIsNamed() throws IOException {
        assertThatThrownBy(() -> BodySizes.parse("file:" + directory)).hasMessage(directory + " is not a regular file");
        Path binary = directory.resolve("binary");
        Files.write(binary, new byte[] {(byte) 0xFF, (byte) 0xFE});
        assertThatThrownBy(() -> BodySizes.parse("file:" + binary)).hasMessage(binary + " is not a text file");
        Path large = file("#".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> BodySizes.parse("file:" + large))
                .hasMessage(large + " has 1048577 bytes, over the limit of 1048576");
    }

    @Test
    void sizesAreLimitedInNumber() throws IOException {
        String lines = IntStream.rangeClosed(1, BodySizes.MAX_SIZES + 1)
                .mapToObj(i -> (100 + i) + " 1")
                .collect(Collectors.joining("\n"));
        Path file = file(lines);
        assertThatThrownBy(() -> BodySizes.parse("file:" + file)).hasMessage(file + " line 2049: more than 2048 sizes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "15            | 15 is not within 16..67108864",
                "-3            | -3 is not within 16..67108864",
                "67108865      | 67108865 is not within 16..67108864",
                "uniform:16    | 'uniform:16' is not uniform:MIN-MAX, as in uniform:16-1000",
                "uniform:1-20  | uniform:1-20: 1 is not within 16..67108864",
                "uniform:30-20 | 'uniform:30-20' starts at 30, above its end at 20",
                "sizes:        | sizes: '' is not SIZExCOUNT",
                "sizes:20x1,   | sizes: '' is not SIZExCOUNT",
                "sizes:5x1     | sizes: 5 is not within 16..67108864",
            })
    void whatIsWrongIsNamed(String text, String message) {
        assertThatThrownBy(() -> BodySizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    private Path file(String content) throws IOException {
        return Files.writeString(Files.createTempFile(directory, "sizes", ".txt"), content);
    }
}

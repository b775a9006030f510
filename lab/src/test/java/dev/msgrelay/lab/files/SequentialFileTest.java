package dev.msgrelay.lab.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SequentialFileTest {
    private static final Content CONTENT = new Content(5 * 4096 + 77, 13);

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void file() {
        file = directory.resolve("data");
    }

    static Stream<SequentialFile> contestants() {
        return Stream.of(
                new SequentialFile.RandomAccess(),
                new SequentialFile.BufferedStream(),
                new SequentialFile.BufferedChannel(),
                new SequentialFile.MemoryMapped());
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void writesTheContentIntoANewFile(SequentialFile contestant) throws IOException {
        assertThat(contestant.write(file, CONTENT)).isEqualTo(sumOf(reference(CONTENT)));
        assertThat(Files.readAllBytes(file)).isEqualTo(reference(CONTENT));
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void writesTheContentOverAFileWithoutShorteningIt(SequentialFile contestant) throws IOException {
        byte[] longer = new byte[(int) CONTENT.size() + 100];
        Files.write(file, longer);
        contestant.write(file, CONTENT);
        byte[] written = reference(CONTENT);
        System.arraycopy(written, 0, longer, 0, written.length);
        assertThat(Files.readAllBytes(file)).isEqualTo(longer);
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void readsWhatIsThere(SequentialFile contestant) throws IOException {
        Files.write(file, reference(CONTENT));
        assertThat(contestant.read(file)).isEqualTo(sumOf(reference(CONTENT)));
    }

    @Test
    void theChecksumIsTheArticles() {
        for (long size : new long[] {0, 1, 255, 256, 257, 100_000}) {
            Content content = new Content(size, 200);
            assertThat(content.checkSum()).isEqualTo(sumOf(reference(content)));
        }
        assertThat(new Content(8_192_000_000L, 0).checkSum()).isEqualTo((int) (8_192_000_000L / 256 * -128));
    }

    @Test
    void theCheckNamesTheFirstWrongByte() throws IOException {
        Content content = new Content(1_000_000, 3);
        byte[] bytes = reference(content);
        Files.write(file, bytes);
        assertThatCode(() -> content.verify(file)).doesNotThrowAnyException();
        bytes[700_001]++;
        Files.write(file, bytes);
        assertThatThrownBy(() -> content.verify(file)).hasMessageContaining("byte 700001 ");
        Files.write(file, new byte[17]);
        assertThatThrownBy(() -> content.verify(file)).hasMessageContaining("17 bytes instead of 1000000");
    }

    private static byte[] reference(Content content) {
        byte[] bytes = new byte[(int) content.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i + content.seed());
        }
        return bytes;
    }

    private static int sumOf(byte[] bytes) {
        int sum = 0;
        for (byte b : bytes) {
            sum += b;
        }
        return sum;
    }
}

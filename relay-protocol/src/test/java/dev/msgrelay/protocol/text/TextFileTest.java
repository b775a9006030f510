package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is no short text is not read: no pipe is waited for, and no size is believed. */
@Timeout(60)
class TextFileTest {
    @TempDir
    private Path folder;

    @Test
    void aText() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "\uFEFFgr\u00FCn\n");
        assertThat(TextFile.read(file, 9)).isEqualTo("gr\u00FCn\n");
        assertThat(TextFile.read(Files.createSymbolicLink(folder.resolve("link"), file), 9))
                .isEqualTo("gr\u00FCn\n");
        assertThat(TextFile.read(Path.of("/dev/null"), 9)).isEmpty();
        assertThatThrownBy(() -> TextFile.read(file, 8)).hasMessage("9 bytes are over the limit of 8");
    }

    @Test
    void whatIsNone() throws Exception {
        assertThatThrownBy(() -> TextFile.read(folder, 9)).hasMessage("it is a folder: give a file");
        assertThatThrownBy(() -> TextFile.read(Path.of("/dev/zero"), 9)).hasMessage("it is a device: give a file");
        assertThatThrownBy(() -> TextFile.read(folder.resolve("none"), 9)).isInstanceOf(NoSuchFileException.class);
        Path sparse = folder.resolve("sparse");
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        assertThatThrownBy(() -> TextFile.read(sparse, 9)).hasMessage((1L << 40) + " bytes are over the limit of 9");
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFF});
        assertThatThrownBy(() -> TextFile.read(binary, 9)).hasMessage("it is not UTF-8 in line 1");
        byte[] utf16 = "a\n".getBytes(StandardCharsets.UTF_16);
        assertThatThrownBy(() -> TextFile.read(Files.write(binary, utf16), 9))
                .hasMessageContaining("it is not UTF-8, but UTF-16 or no text: save it as UTF-8");
    }
}

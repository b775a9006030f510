package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a power cut finds, at each step of the replacement. */
class WholeFileTest {
    private static final byte[] NEW = "new".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeOld() throws IOException {
        file = Files.writeString(folder.resolve("file"), "old");
    }

    private void assertHoldsOnly(String content) throws IOException {
        assertThat(file).hasContent(content);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void theContentIsForcedBeforeTheNameAndTheNameBeforeTheReturn() throws IOException {
        List<String> forced = new ArrayList<>();
        WholeFile.replace(file, NEW, of -> {
            boolean ofFolder = Files.isDirectory(of);
            forced.add(
                    (ofFolder ? "the folder" : Files.readString(of)) + " where the file is " + Files.readString(file));
        });
        assertThat(forced).containsExactly("new where the file is old", "the folder where the file is new");
        assertHoldsOnly("new");
    }

    /** On some file systems a folder is nothing that can be forced. */
    @Test
    void aFolderThatCannotBeForced() throws IOException {
        WholeFile.replace(file, NEW, of -> {
            if (Files.isDirectory(of)) {
                throw new IOException("Invalid argument");
            }
        });
        assertHoldsOnly("new");
    }

    @Test
    void contentThatCannotBeForced() throws IOException {
        assertThatIOException()
                .isThrownBy(() -> WholeFile.replace(file, NEW, of -> {
                    throw new IOException("Input/output error");
                }))
                .withMessage("Input/output error");
        assertHoldsOnly("old");
    }

    @Test
    void aRealDisk() throws IOException {
        WholeFile.replace(file, NEW);
        assertHoldsOnly("new");
        Path first = folder.resolve("first");
        WholeFile.replace(first, NEW);
        assertThat(first).hasContent("new");
    }
}

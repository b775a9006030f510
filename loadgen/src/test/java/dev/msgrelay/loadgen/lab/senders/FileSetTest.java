package dev.msgrelay.loadgen.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lab.senders.FileSet.SentFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSetTest {
    @TempDir
    private Path directory;

    private FileSet files;

    @BeforeEach
    void create() throws IOException {
        files = FileSet.create(directory, List.of(1_000L, 200_000L, 1L));
    }

    @Test
    void theFilesHaveTheirSizesAndDiffer() throws IOException {
        assertThat(content(0)).hasSize(1_000).isNotEqualTo(Arrays.copyOf(content(1), 1_000));
        assertThat(content(1)).hasSize(200_000);
        assertThat(content(2)).hasSize(1);
        assertThat(files.largest()).isEqualTo(1);
    }

    @Test
    void digestsOfBeginnings() throws IOException {
        SentFile file = files.files().get(1);
        List<Long> digests = FileSet.digests(file, List.of(0L, 0L, 100_000L, 200_000L));
        assertThat(digests.get(0)).isEqualTo(digests.get(1)).isZero();
        assertThat(digests.get(2)).isNotIn(0L, digests.get(3));
        assertThat(digests.get(3)).isEqualTo(file.digest());
    }

    private byte[] content(int number) throws IOException {
        return Files.readAllBytes(files.files().get(number).path());
    }
}

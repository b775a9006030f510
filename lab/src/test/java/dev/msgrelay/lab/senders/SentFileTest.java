package dev.msgrelay.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SentFileTest {
    @TempDir
    private Path directory;

    private List<SentFile> files;

    @BeforeEach
    void create() throws IOException {
        files = SentFile.in(directory, List.of(1_000L, 200_000L, 1L));
    }

    @Test
    void theFilesHaveTheirSizesAndDiffer() throws IOException {
        assertThat(content(0)).hasSize(1_000).isNotEqualTo(Arrays.copyOf(content(1), 1_000));
        assertThat(content(1)).hasSize(200_000);
        assertThat(content(2)).hasSize(1);
    }

    @Test
    void whatIsAnotherByteOrInAnotherPlaceIsFound() throws IOException {
        SentFile file = files.get(1);
        ByteBuffer all = ByteBuffer.wrap(content(1));
        assertThat(file.mismatch(all.duplicate(), 0)).isEqualTo(-1);
        assertThat(file.mismatch(all.slice(70_000, 100_000), 70_000)).isEqualTo(-1);
        assertThat(file.mismatch(all.slice(70_000, 100_000), 70_001)).isBetween(70_001L, 70_010L);
        assertThat(files.get(0).mismatch(all.slice(0, 1_000), 0)).isBetween(0L, 10L);
        all.put(150_000, (byte) (all.get(150_000) + 1));
        assertThat(file.mismatch(all.slice(70_000, 100_000), 70_000)).isEqualTo(150_000);
    }

    private byte[] content(int number) throws IOException {
        return Files.readAllBytes(files.get(number).path());
    }
}

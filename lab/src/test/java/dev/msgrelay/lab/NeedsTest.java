package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.ThisMachine;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NeedsTest {
    @TempDir
    private Path directory;

    @Test
    void littleIsThere() {
        assertThat(new Needs(1, 1, 2).shortfalls(directory)).isEmpty();
        assertThat(new Needs(0, 0, 2).remarks(2)).isEmpty();
    }

    @Test
    void whatIsMissingIsToldWithTheNumberNeeded() {
        assertThat(new Needs(Long.MAX_VALUE, 2_000_000_000, 1).shortfalls(directory))
                .hasSize(2)
                .satisfiesExactly(
                        disk -> assertThat(disk)
                                .startsWith("9,223,372,036,855 MB needed in " + directory + ", ")
                                .endsWith(" MB free: give another --dir"),
                        files -> assertThat(files)
                                .matches(
                                        "2000000000 open files needed, \\d+ allowed: raise 'ulimit -n' to \\d+ or more"));
    }

    @Test
    void fewerCoresAreARemark() {
        assertThat(new Needs(0, 0, 17).remarks(2))
                .containsExactly("17 threads share 2 cores: with 17 cores figures may differ");
    }

    @Test
    void aDirectoryThatTakesNoFilesIsRefused() {
        Path status = ThisMachine.proc("self", "status");
        assertThat(new Needs(0, 1, 1).shortfalls(status))
                .containsExactly(status + " is not a directory that can be written to");
    }
}

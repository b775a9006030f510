package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NeedsTest {
    private static final Needs.Room ROOM = new Needs.Room(Path.of("/somewhere"), true, 5_000_000_000L, 900, 100, 2);

    @Test
    void whatIsThereIsEnough() {
        assertThat(new Needs(5_000_000_000L, 900, 2).shortfalls(ROOM)).isEmpty();
        assertThat(new Needs(0, 0, 2).remarks(ROOM)).isEmpty();
    }

    @Test
    void whatIsMissingIsToldWithTheNumberNeeded() {
        assertThat(new Needs(8_000_000_001L, 901, 1).shortfalls(ROOM))
                .containsExactly(
                        "8,001 MB needed in /somewhere, 5,000 MB free: give another --dir",
                        "901 open files needed, 900 allowed: raise 'ulimit -n' to 1001 or more");
    }

    @Test
    void fewerCoresAreARemark() {
        Needs needs = new Needs(0, 0, 17);
        assertThat(needs.shortfalls(ROOM)).isEmpty();
        assertThat(needs.remarks(ROOM)).containsExactly("17 threads share 2 cores: with 17 cores figures may differ");
    }

    @Test
    void aDirectoryThatTakesNoFilesIsRefused() {
        Needs.Room room = Needs.Room.here(Path.of("/proc/self/status"));
        assertThat(new Needs(0, 1, 1).shortfalls(room))
                .containsExactly("/proc/self/status is not a directory that can be written to");
    }
}

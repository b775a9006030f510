package dev.msgrelay.loadgen.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchDirectoryTest {
    @TempDir
    Path directory;

    @Test
    void isGoneAfterwardsWithAllThatIsInIt() throws IOException {
        try (ScratchDirectory scratch = ScratchDirectory.in(directory)) {
            Path within = Files.createDirectory(scratch.path().resolve("within"));
            Files.writeString(within.resolve("file"), "text");
            assertThat(scratch.path()).isDirectoryRecursivelyContaining("glob:**file");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileIsNoDirectory() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> ScratchDirectory.in(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot make a directory in " + file);
    }

    @Test
    void isGoneAfterASignalToo() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ScratchHolder.class.getName(),
                        directory.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("made");
            assertThat(directory).isNotEmptyDirectory();
            process.toHandle().destroy();
            process.waitFor();
            assertThat(directory).isEmptyDirectory();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Makes one and never gives it back. */
    static final class ScratchHolder {
        private ScratchHolder() {}

        public static void main(String[] args) throws Exception {
            try (ScratchDirectory scratch = ScratchDirectory.in(Path.of(args[0]))) {
                Files.writeString(scratch.path().resolve("file"), "text");
                System.out.println("made");
                Thread.sleep(60_000);
            }
        }
    }
}

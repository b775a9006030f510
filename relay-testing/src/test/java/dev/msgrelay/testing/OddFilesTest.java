package dev.msgrelay.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.text.TextFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of {@code TextFileTest} that need another process or the kernel. */
@Timeout(60)
class OddFilesTest {
    @TempDir
    private Path folder;

    @Test
    void aPipeIsNotWaitedFor() throws Exception {
        Path pipe = OddFiles.pipe(folder.resolve("pipe"));
        assertThatThrownBy(() -> TextFile.read(pipe, 9)).hasMessage("it is a pipe: give a file");
    }

    /** One of the kernel's: it says that it has none. */
    @Test
    void aSizeIsNotBelieved() {
        assertThatThrownBy(() -> TextFile.read(ThisMachine.proc("self", "status"), 9))
                .hasMessage("10 bytes are over the limit of 9");
    }
}

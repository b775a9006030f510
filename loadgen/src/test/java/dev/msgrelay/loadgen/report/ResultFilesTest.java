package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.plan.Json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.result.ResultFileException;
import dev.msgrelay.loadgen.result.Results;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
    @TempDir
    private Path directory;

    @Test
    void bothFilesAreThereAndNoOther() throws Exception {
        ResultFiles files = ResultFiles.in(directory.resolve("new/results"));
        files.write(MadeUp.empty());
        files.write(MadeUp.full());
        assertThat(files.directory().toFile().list()).containsExactlyInAnyOrder("results.json", "report.html");
        assertThat(Json.read(files.directory())).isEqualTo(MadeUp.full());
        assertThat(files.directory().resolve("report.html")).content().contains("10gbe (emulated)");
    }

    @Test
    void aFullDiskIsToldAndWhatWasThereStays() throws Exception {
        long[] room = {4_000_000};
        ResultFiles files = ResultFiles.in(directory, file -> new Limited(Files.newOutputStream(file), room));
        Results before = MadeUp.loopback(1e6, 2e6);
        files.write(before);
        room[0] = 1_000;
        assertThatThrownBy(() -> files.write(MadeUp.full()))
                .isInstanceOf(ResultFileException.class)
                .hasMessage("cannot write " + directory.resolve("results.json") + ": No space left on device; "
                        + directory.resolve("results.json") + " has 2 runs");
        assertThat(Json.read(directory)).isEqualTo(before);
        assertThat(directory.toFile().list()).hasSize(2);
    }

    @Test
    void aDiskThatIsFullFromTheStartIsTold() throws Exception {
        ResultFiles files = ResultFiles.in(directory, file -> new Limited(Files.newOutputStream(file), new long[1]));
        assertThatThrownBy(() -> files.write(MadeUp.empty()))
                .hasMessageEndingWith("No space left on device; nothing is kept");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void anotherShootoutsResultsAreNotOverwritten() throws Exception {
        ResultFiles.in(directory).write(MadeUp.empty());
        assertThatThrownBy(() -> ResultFiles.in(directory))
                .hasMessage(directory + " has results already: " + directory.resolve("results.json"));
    }

    @Test
    void aFileIsNoDirectory() throws Exception {
        Path file = Files.createFile(directory.resolve("taken"));
        assertThatThrownBy(() -> ResultFiles.in(file))
                .isInstanceOf(ResultFileException.class)
                .hasMessageStartingWith("cannot make the directory " + file);
    }

    /** Has room for so many bytes, all files together. */
    private static final class Limited extends FilterOutputStream {
        private final long[] room;

        Limited(OutputStream out, long[] room) {
            super(out);
            this.room = room;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            room[0] -= length;
            if (room[0] < 0) {
                throw new IOException("No space left on device");
            }
            out.write(bytes, offset, length);
        }
    }
}

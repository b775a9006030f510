package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.result.Results;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
    private static final Results EMPTY = MadeUp.of();
    private static final Results FULL = MadeUp.of(
            MadeUp.loopback(MadeUp.cell(Load.oneToOne(100), new Given(1_000_000, 1_000), new Given(2_000_000, 1_000))));

    @TempDir
    private Path directory;

    @Test
    void bothFilesAreThereAndNoOther() throws Exception {
        ResultFiles files = ResultFiles.in(directory);
        files.write(EMPTY);
        files.write(FULL);
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("results.json", "report.html");
        assertThat(read()).isEqualTo(FULL);
        assertThat(directory.resolve("report.html")).content().contains("\"name\":\"loopback\"");
    }

    @Test
    void aFullDiskIsToldAndWhatWasThereStays() throws Exception {
        long[] room = {4_000_000};
        ResultFiles files = ResultFiles.in(directory, file -> new Limited(Files.newOutputStream(file), room));
        files.write(FULL);
        room[0] = 100;
        assertThatThrownBy(() -> files.write(EMPTY))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot write " + directory.resolve("results.json") + ": No space left on device; "
                        + directory.resolve("results.json") + " has 2 runs");
        assertThat(read()).isEqualTo(FULL);
        assertThat(directory.toFile().list()).hasSize(2);
    }

    @Test
    void aDiskThatIsFullFromTheStartIsTold() throws Exception {
        ResultFiles files = ResultFiles.in(directory, file -> new Limited(Files.newOutputStream(file), new long[1]));
        assertThatThrownBy(() -> files.write(EMPTY)).hasMessageEndingWith("No space left on device; nothing is kept");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void anotherShootoutsResultsAreNotOverwritten() throws Exception {
        ResultFiles.in(directory).write(EMPTY);
        assertThatThrownBy(() -> ResultFiles.in(directory))
                .hasMessage(directory + " has results already: " + directory.resolve("results.json"));
    }

    @Test
    void aFileIsNoDirectory() throws Exception {
        Path file = Files.createFile(directory.resolve("taken"));
        assertThatThrownBy(() -> ResultFiles.in(file))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot make the directory " + file);
    }

    private Results read() throws IOException {
        return Json.read(Json.parse(Files.readString(directory.resolve("results.json"))), Results.class);
    }

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

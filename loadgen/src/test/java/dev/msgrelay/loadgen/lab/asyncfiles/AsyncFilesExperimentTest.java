package dev.msgrelay.loadgen.lab.asyncfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.LabObserver;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.LabRun;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncFilesExperimentTest {
    private static final Duration TIME = Duration.ofMillis(50);

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        TableResult table = run(new AsyncFilesOptions(2, 16, TIME, false));
        assertThat(table.rows()).extracting(RowResult::failure).containsOnlyNulls();
        assertThat(table.rows()).hasSize(5).allSatisfy(row -> {
            assertThat(table.figure(row, WriteGo.GIVEN).median()).isPositive();
            assertThat(table.figure(row, WriteGo.WRITTEN).median()).isPositive();
        });
        assertThat(threads(table, AsyncFilesExperiment.PLAIN)).isZero();
        assertThat(threads(table, AsyncFilesExperiment.FIXED_WAITING)).isBetween(1.0, 2.0);
        assertThat(table.rows())
                .extracting(RowResult::label)
                .containsAll(table.table().claims().cells().keySet());
        assertThat(table.table().judge().judge(table)).hasSize(7);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void oneThatClosesAtOnceFails() {
        TableResult table = run(new AsyncFilesOptions(1, 5_000, TIME, true));
        RowResult careless = table.row(AsyncFilesExperiment.CLOSED_AT_ONCE);
        assertThat(careless.failure()).endsWith(" is missing");
        assertThat(table.figure(careless, WriteGo.GIVEN).isPresent()).isFalse();
    }

    @Test
    void oneThatWritesInTheWrongPlaceFails() {
        WriteGo broken = new WriteGo("broken", Misplacing::new, TIME.toNanos(), Set.of());
        assertThatThrownBy(() -> broken.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageMatching("record 7 of \\d+ is not in its place");
    }

    private TableResult run(AsyncFilesOptions options) {
        LabRun run = new LabRun(new LabOptions(true, 3, directory), () -> 50, LabObserver.NONE);
        LabResult result = run.run(new AsyncFilesExperiment(options), 1, 1);
        return result.experiments().get(0).tables().get(0);
    }

    private static double threads(TableResult table, String row) {
        return table.figure(table.row(row), WriteGo.THREADS).median();
    }

    /** Exchanges records 7 and 8. */
    private static final class Misplacing implements RecordWriter {
        private final FileChannel channel;
        private long count;

        Misplacing(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        @Override
        public void write() throws IOException {
            long place = count == 7 ? 8 : count == 8 ? 7 : count;
            channel.write(Records.buffer(count), place * Records.SIZE);
            count++;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

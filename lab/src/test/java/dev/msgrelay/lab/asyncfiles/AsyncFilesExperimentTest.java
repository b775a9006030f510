package dev.msgrelay.lab.asyncfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** No other test runs meanwhile: a row counts all threads of the process that took processor time. */
@Isolated
class AsyncFilesExperimentTest {
    private static final Duration TIME = Duration.ofMillis(50);

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        Settings settings = Tables.settings(3, TIME, directory);
        TableResult table =
                Tables.run(AsyncFilesExperiment.of(settings), settings).get(0);
        assertThat(table.rows()).extracting(Row::failure).containsOnlyNulls();
        assertThat(table.rows()).hasSize(5).allSatisfy(row -> {
            assertThat(row.figure(AsyncFilesExperiment.GIVEN).median()).isPositive();
            assertThat(row.figure(AsyncFilesExperiment.WRITTEN).median()).isPositive();
        });
        assertThat(threads(table, AsyncFilesExperiment.PLAIN)).isZero();
        // Threads of the JVM's own may have worked meanwhile, so there is no upper bound.
        assertThat(threads(table, AsyncFilesExperiment.FIXED_WAITING)).isPositive();
        assertThat(table.rows())
                .extracting(Row::label)
                .containsAll(table.table().article().cells().keySet());
        assertThat(table.verdicts()).hasSize(4);
        assertThat(table.plots().get(0).series()).hasSize(5);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void oneThatWritesInTheWrongPlaceFails() {
        AsyncFilesExperiment.Writes broken = new AsyncFilesExperiment.Writes(Misplacing::new, TIME.toNanos(), Set.of());
        assertThatThrownBy(() -> broken.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageMatching("record 7 of \\d+ is not in its place");
    }

    private static double threads(TableResult table, String row) {
        return table.row(row).figure(AsyncFilesExperiment.THREADS).median();
    }

    /** Exchanges records 7 and 8. */
    private static final class Misplacing implements RecordWriter {
        private final FileChannel channel;

        Misplacing(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        @Override
        public void write(long number) throws IOException {
            long place = number == 7 ? 8 : number == 8 ? 7 : number;
            channel.write(RecordWriter.buffer(number), place * RecordWriter.SIZE);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

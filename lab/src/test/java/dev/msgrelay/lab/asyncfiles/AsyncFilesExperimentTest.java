package dev.msgrelay.lab.asyncfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant.Go;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncFilesExperimentTest {
    private static final Duration TIME = Duration.ofMillis(50);

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        TableResult table = run("--pool=2", "--outstanding=16");
        assertThat(table.rows()).extracting(Row::failure).containsOnlyNulls();
        assertThat(table.rows()).hasSize(5).allSatisfy(row -> {
            assertThat(table.figure(row, WriteGo.GIVEN).median()).isPositive();
            assertThat(table.figure(row, WriteGo.WRITTEN).median()).isPositive();
        });
        assertThat(threads(table, AsyncFilesExperiment.PLAIN)).isZero();
        assertThat(threads(table, AsyncFilesExperiment.FIXED_WAITING)).isBetween(1.0, 2.0);
        assertThat(table.rows())
                .extracting(Row::label)
                .containsAll(table.table().article().cells().keySet());
        assertThat(table.table().judge().apply(table)).hasSize(7);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void oneThatClosesAtOnceFails() {
        TableResult table;
        Row careless;
        do {
            // What it loses is what the disk has not got to: now and then that is nothing.
            table = run("--pool=1", "--outstanding=5000", "--close-at-once");
            careless = table.row(AsyncFilesExperiment.CLOSED_AT_ONCE);
        } while (careless.failure() == null);
        assertThat(careless.failure()).endsWith(" is missing");
        assertThat(table.figure(careless, WriteGo.GIVEN).isKnown()).isFalse();
    }

    @Test
    void oneThatWritesInTheWrongPlaceFails() {
        WriteGo broken = new WriteGo(Misplacing::new, TIME.toNanos(), Set.of());
        assertThatThrownBy(() -> broken.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageMatching("record 7 of \\d+ is not in its place");
    }

    private TableResult run(String... options) {
        String[] all =
                Stream.concat(Stream.of(options), Stream.of("--duration=50ms")).toArray(String[]::new);
        AsyncFilesExperiment experiment = Tables.parsed(new AsyncFilesExperiment(), all);
        return Tables.run(experiment, 3, directory)
                .experiments()
                .get(0)
                .tables()
                .get(0);
    }

    private static double threads(TableResult table, String row) {
        return table.figure(table.row(row), WriteGo.THREADS).median();
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
            channel.write(Records.buffer(number), place * Records.SIZE);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

package dev.msgrelay.lab.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesExperimentTest {
    private static final long SIZE = 102_400;

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        Settings settings = Tables.settings(2, null, directory);
        List<TableResult> tables = Tables.run(FilesExperiment.of(settings), settings);
        assertThat(tables).hasSize(1);
        assertThat(tables.get(0).rows()).hasSize(8).allSatisfy(row -> {
            assertThat(row.figure(FilesExperiment.WRITE).median()).isPositive();
            assertThat(row.figure(FilesExperiment.READ).median()).isPositive();
        });
        assertThat(tables.get(0).verdicts()).hasSize(12);
        assertThat(tables.get(0).plots().get(0).series()).hasSize(8);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theArticlesSizesCarryItsFigures() {
        Experiment experiment = FilesExperiment.of(new Settings(false, 5, null, List.of(400, 8000, 17, 17), directory));
        List<LabTable> tables = experiment.tables().get();
        assertThat(tables)
                .extracting(table -> table.article().has(FilesExperiment.READ))
                .containsExactly(true, true, false);
        assertThat(tables.subList(0, 2)).allSatisfy(table -> assertThat(table.contestants())
                .extracting(one -> Contestant.label(one.name(), one.setting()))
                .containsAll(table.article().cells().keySet()));
        assertThat(experiment.needs().diskBytes()).isGreaterThan(2 * 8_417_000_000L);
        assertThat(tables.get(0)
                        .article()
                        .ratio(
                                FilesExperiment.READ,
                                "BufferedChannelFile, pre-allocated",
                                "BufferedStreamFile, growing"))
                .isCloseTo(9.955, within(0.001));
    }

    @Test
    void oneThatMixesUpTwoBytesFails() {
        FilesExperiment.Loop loop = loop((file, content) -> {
            int sum = new SequentialFile.RandomAccess().write(file, content);
            try (RandomAccessFile mixed = new RandomAccessFile(file.toFile(), "rw")) {
                mixed.seek(777);
                mixed.write(new byte[] {content.at(778), content.at(777)});
            }
            return sum;
        });
        assertThatThrownBy(() -> loop.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageStartingWith("byte 777 of the file is ");
    }

    @Test
    void oneThatWritesNothingFailsThoughTheFileIsFullOfTheLoopBefore() throws Exception {
        loop(new SequentialFile.RandomAccess()).go(new Go(directory, 1));
        FilesExperiment.Loop lazy = loop((file, content) -> content.checkSum());
        assertThatThrownBy(() -> lazy.go(new Go(directory, 2)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageStartingWith("byte 0 of the file is ");
    }

    @Test
    void oneThatSkipsAByteFails() {
        FilesExperiment.Loop loop =
                loop((file, content) -> new SequentialFile.RandomAccess().write(file, content) - content.at(9));
        assertThatThrownBy(() -> loop.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageStartingWith("wrote bytes of checksum ");
    }

    private interface Writes {
        int write(Path file, Content content) throws IOException;
    }

    private static FilesExperiment.Loop loop(Writes writes) {
        return loop(new SequentialFile() {
            @Override
            public int write(Path file, Content content) throws IOException {
                return writes.write(file, content);
            }

            @Override
            public int read(Path file) throws IOException {
                return new SequentialFile.RandomAccess().read(file);
            }
        });
    }

    private static FilesExperiment.Loop loop(SequentialFile way) {
        return new FilesExperiment.Loop(way, true, SIZE, 0);
    }
}

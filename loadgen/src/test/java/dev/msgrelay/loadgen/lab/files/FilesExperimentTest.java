package dev.msgrelay.loadgen.lab.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.LabObserver;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.LabRun;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesExperimentTest {
    private static final FileLoop.Task TASK = new FileLoop.Task(102_400, false, false, 1);

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        FilesExperiment experiment = new FilesExperiment(new FilesOptions(List.of(1, 1), true, false));
        LabRun run = new LabRun(new LabOptions(true, 2, directory), () -> 50, LabObserver.NONE);
        LabResult result = run.run(experiment, 1, 1);

        assertThat(result.failed()).isFalse();
        assertThat(result.experiments().get(0).tables()).hasSize(1);
        TableResult table = result.experiments().get(0).tables().get(0);
        assertThat(table.rows()).hasSize(8).allSatisfy(row -> {
            assertThat(table.figure(row, FileLoop.WRITE).median()).isPositive();
            assertThat(table.figure(row, FileLoop.READ).median()).isPositive();
        });
        assertThat(table.table().judge().judge(table)).hasSize(12);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theArticlesSizesCarryItsFigures() {
        FilesExperiment experiment = new FilesExperiment(new FilesOptions(List.of(400, 8000, 17), false, false));
        LabOptions lab = new LabOptions(false, 5, directory);
        assertThat(experiment.tables(lab))
                .extracting(table -> table.claims().has(FileLoop.READ))
                .containsExactly(true, true, false);
        assertThat(experiment.needs(lab).diskBytes()).isGreaterThan(2 * 8_417_000_000L);
        assertThat(FilesArticle.ratio(
                        400, FileLoop.READ, "BufferedChannelFile, pre-allocated", "BufferedStreamFile, growing"))
                .hasValueCloseTo(9.955, within(0.001));
    }

    @Test
    void aRowOfTheArticleIsOneOfOurs() {
        FilesExperiment experiment = new FilesExperiment(new FilesOptions(List.of(400, 8000), false, false));
        assertThat(experiment.tables(new LabOptions(false, 5, directory)))
                .allSatisfy(table -> assertThat(table.contestants())
                        .extracting(contestant -> contestant.label())
                        .containsAll(table.claims().cells().keySet()));
    }

    @Test
    void oneThatMixesUpTwoBytesFails() {
        FileLoop loop = loop((file, content) -> {
            int sum = new RandomAccess().write(file, content, false);
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
        loop(new RandomAccess()).go(new Go(directory, 1));
        FileLoop lazy = loop((file, content) -> content.checkSum());
        assertThatThrownBy(() -> lazy.go(new Go(directory, 2)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageStartingWith("byte 0 of the file is ");
    }

    @Test
    void oneThatSkipsAByteFails() {
        FileLoop loop = loop((file, content) -> new RandomAccess().write(file, content, false) - content.at(9));
        assertThatThrownBy(() -> loop.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageStartingWith("wrote bytes of checksum ");
    }

    private interface Writes {
        int write(Path file, Content content) throws IOException;
    }

    private static FileLoop loop(Writes writes) {
        return loop(new SequentialFile() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public int write(Path file, Content content, boolean force) throws IOException {
                return writes.write(file, content);
            }

            @Override
            public int read(Path file) throws IOException {
                return new RandomAccess().read(file);
            }
        });
    }

    private static FileLoop loop(SequentialFile way) {
        return new FileLoop(way, new FileLoop.Setting(true, TASK), 0);
    }
}

package dev.msgrelay.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SendersExperimentTest {
    private static final List<Long> SIZES = List.of(500L, 30_000L);

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        Settings settings = Tables.settings(1, Duration.ofMillis(40), directory);
        assertThat(Tables.run(SendersExperiment.of(settings), settings))
                .hasSize(1)
                .allSatisfy(table -> {
                    assertThat(table.rows()).extracting(Row::failure).containsOnlyNulls();
                    assertThat(table.rows())
                            .hasSize(table.table().contestants().size())
                            .allSatisfy(row -> {
                                assertThat(row.figure(SendersExperiment.THROUGHPUT)
                                                .median())
                                        .isPositive();
                            });
                    assertThat(table.verdicts()).isNotEmpty();
                    assertThat(table.plots().get(1).series()).hasSameSizeAs(table.rows());
                });
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theRecordHasTheArticlesRowsAndNeedsDescriptorsForAllClients() {
        Experiment senders = SendersExperiment.of(new Settings(false, 5, null, null, directory));
        assertThat(senders.tables().get()).hasSize(1).allSatisfy(table -> assertThat(table.contestants())
                .extracting(one -> Contestant.label(one.name(), one.setting()))
                .containsAll(table.article().cells().keySet()));
        assertThat(senders.needs().descriptors()).isEqualTo(964);
    }

    @Test
    void oneThatSendsAnotherFileFails() {
        assertFails(set -> {
            // Two files of the same size would not differ in length.
            SentFile first = set.get(0);
            Path other = directory.resolve("other");
            Files.write(other, new byte[(int) first.size()]);
            SentFile wrong = new SentFile(0, other, first.size(), first.content());
            return workers((List.of(wrong, set.get(1))));
        });
    }

    @Test
    void oneThatSendsTooLittleFails() {
        assertFails(set -> {
            SentFile second = set.get(1);
            SentFile cut = new SentFile(1, second.path(), second.size() - 1, second.content());
            return workers((List.of(set.get(0), cut)));
        });
    }

    private void assertFails(Opener<List<SentFile>, WorkerServer> broken) {
        SendersExperiment.Downloads go =
                new SendersExperiment.Downloads(broken, SIZES, 3, 0, Duration.ofMillis(200), Duration.ofSeconds(1));
        assertThatThrownBy(() -> go.go(new Go(directory, 1))).isInstanceOf(WrongResultException.class);
    }

    private static WorkerServer workers(List<SentFile> files) throws IOException {
        return new WorkerServer(files, WorkerServer.SendAlgorithm.EQUAL_NON_BLOCKING, 2, WorkerServer.BUFFER_SIZE);
    }
}

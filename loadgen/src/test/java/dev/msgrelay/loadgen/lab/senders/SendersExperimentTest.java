package dev.msgrelay.loadgen.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.LabObserver;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.LabRun;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.WrongResultException;
import dev.msgrelay.loadgen.lab.senders.FileSet.SentFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SendersExperimentTest {
    private static final List<Long> SIZES = List.of(500L, 30_000L);
    private static final SendersOptions OPTIONS =
            new SendersOptions(List.of(2, 6), List.of(0, 1), 3, 16, SIZES, Duration.ofMillis(40));

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        LabRun run = new LabRun(new LabOptions(true, 1, directory), () -> 50, LabObserver.NONE);
        LabResult result = run.run(new SendersExperiment(OPTIONS), 1, 1);

        assertThat(result.experiments().get(0).tables()).hasSize(2).allSatisfy(table -> {
            assertThat(table.rows()).extracting(RowResult::failure).containsOnlyNulls();
            assertThat(table.rows()).hasSize(20).allSatisfy(row -> {
                assertThat(table.figure(row, SendersGo.THROUGHPUT).median()).isPositive();
                // 0 where sockets held everything already
                assertThat(table.figure(row, SendersGo.CPU).median()).isNotNegative();
            });
            assertThat(table.table().judge().judge(table)).isNotEmpty();
            assertThat(table.table().charts().get(1).series().of(table)).hasSize(10);
        });
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRowOfTheArticleIsOneOfOurs() {
        SendersExperiment experiment = new SendersExperiment(SendersOptions.defaults(false));
        assertThat(experiment.tables(new LabOptions(false, 5, directory)))
                .hasSize(2)
                .allSatisfy(table -> assertThat(table.contestants())
                        .extracting(contestant -> contestant.label())
                        .containsAll(table.claims().cells().keySet()));
    }

    @Test
    void needsDescriptorsForTheMostClients() {
        SendersExperiment experiment = new SendersExperiment(SendersOptions.defaults(false));
        assertThat(experiment.needs(new LabOptions(false, 5, directory)).descriptors())
                .isEqualTo(964);
    }

    @Test
    void oneThatSendsAnotherFileFails() {
        assertFails(set -> {
            // Two files of the same size would not differ in length.
            SentFile first = set.files().get(0);
            Path other = directory.resolve("other");
            Files.write(other, new byte[(int) first.size()]);
            SentFile wrong = new SentFile(0, other, first.size(), first.digest());
            return workers(new FileSet(List.of(wrong, set.files().get(1))));
        });
    }

    @Test
    void oneThatSendsTooLittleFails() {
        assertFails(set -> {
            SentFile second = set.files().get(1);
            SentFile cut = new SentFile(1, second.path(), second.size() - 1, second.digest());
            return workers(new FileSet(List.of(set.files().get(0), cut)));
        });
    }

    private void assertFails(SendersGo.Starter broken) {
        SendersGo.Load load =
                new SendersGo.Load(3, new Client.Reading(0, 0), Duration.ofMillis(20), Duration.ofMillis(200));
        SendersGo go = new SendersGo("broken", broken, new SendersGo.Files(OPTIONS), load);
        assertThatThrownBy(() -> go.go(new Go(directory, 1))).isInstanceOf(WrongResultException.class);
    }

    private static FileServer workers(FileSet files) throws IOException {
        return new WorkerServer(files, new EqualNonBlocking(), new WorkerServer.Setup(2, Copy.TRANSFER_TO, 0));
    }
}

package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.readers.Client.Ladder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadersExperimentTest {
    @TempDir
    private Path directory;

    @Test
    void aRowOfTheArticleIsOneOfOurs() {
        assertThat(Stream.of(Ladder.values()).map(Ladder::text))
                .containsAll(ReadersExperiment.ARTICLE.cells().keySet());
    }

    @Tag("thorough")
    @Test
    void everyRowIsMeasured() {
        Settings settings = Tables.settings(1, Duration.ofMillis(20), directory);
        Experiment readers = ReadersExperiment.of(settings);
        assertThat(Tables.run(readers, settings)).hasSize(2).allSatisfy(table -> {
            assertThat(table.rows()).extracting(Row::failure).containsOnlyNulls();
            assertThat(table.plots().get(0).series()).hasSameSizeAs(table.rows());
        });
    }
}

package dev.msgrelay.lab.eventlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.eventlog.EventLog.Event;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogExperimentTest {
    private static final Duration TIME = Duration.ofMillis(100);

    /** What a go says whose machine had other things to do. */
    private static final String NO_BURST = "no burst within";

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        Settings settings = Tables.settings(1, TIME, directory);
        TableResult measured;
        do {
            measured = Tables.run(EventLogExperiment.of(settings), settings).get(0);
        } while (measured.rows().stream()
                .anyMatch(row -> row.failure() != null && row.failure().contains(NO_BURST)));
        TableResult table = measured;
        assertThat(table.rows()).extracting(Row::failure).containsOnlyNulls();
        assertThat(table.rows()).hasSize(7).allSatisfy(row -> {
            assertThat(row.figure(EventLogExperiment.MEAN).median()).isPositive();
            assertThat(row.figure(EventLogExperiment.COUNT).median()).isPositive();
        });
        assertThat(table.rows())
                .extracting(row -> row.label())
                .containsAll(table.table().article().cells().keySet());
        assertThat(table.verdicts()).hasSize(8);
        assertThat(table.plots().get(0).series()).hasSize(7);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theCurveRisesToTheMaximum() throws Exception {
        Measurement measurement = measured(go(EventLog.LockedStream::new));
        assertThat(measurement.curve()).isNotEmpty();
        for (int i = 1; i < measurement.curve().size(); i++) {
            assertThat(measurement.curve().get(i).y())
                    .isBetween(measurement.curve().get(i - 1).y(), measurement.value(EventLogExperiment.MAX));
        }
    }

    @Test
    void oneThatRepeatsAnEventFails() {
        EventLogExperiment.Bursts stutters = go(file -> new Around(new EventLog.LockedWriter(file)) {
            private final AtomicInteger count = new AtomicInteger();

            @Override
            public void recordEvent(Event event) throws IOException {
                super.recordEvent(event);
                if (count.getAndIncrement() == 100) {
                    super.recordEvent(event);
                }
            }
        });
        assertThatThrownBy(() -> measured(stutters))
                .isInstanceOf(WrongResultException.class)
                .hasMessageEndingWith("events: 1 too many");
    }

    @Test
    void oneThatCannotWriteFails() {
        EventLogExperiment.Bursts broken = go(file -> new Around(new EventLog.LockedWriter(file)) {
            @Override
            public void recordEvent(Event event) throws IOException {
                throw new IOException("no space left");
            }
        });
        assertThatThrownBy(() -> measured(broken))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no space left");
    }

    /** A go in which a busy machine let no thread come to the end of a burst says nothing, and is done again. */
    private Measurement measured(EventLogExperiment.Bursts go) throws Exception {
        while (true) {
            try {
                return go.go(new Go(directory, 1));
            } catch (IOException e) {
                if (!e.getMessage().contains(NO_BURST)) {
                    throw e;
                }
            }
        }
    }

    private static EventLogExperiment.Bursts go(Opener<Path, EventLog> opener) {
        return new EventLogExperiment.Bursts(opener, 3, TIME);
    }

    /** Another log, to be broken. */
    private abstract static class Around implements EventLog {
        private final EventLog log;

        Around(EventLog log) {
            this.log = log;
        }

        @Override
        public void recordEvent(Event event) throws IOException {
            log.recordEvent(event);
        }

        @Override
        public void close() throws IOException {
            log.close();
        }
    }
}

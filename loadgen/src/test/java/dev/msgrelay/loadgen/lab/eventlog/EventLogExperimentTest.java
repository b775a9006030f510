package dev.msgrelay.loadgen.lab.eventlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.LabObserver;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.LabRun;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lab.WrongResultException;
import dev.msgrelay.loadgen.lab.eventlog.BufferedWritesOffThread.Ending;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogExperimentTest {
    private static final EventLogOptions OPTIONS = new EventLogOptions(3, Duration.ofMillis(100), false);

    @TempDir
    private Path directory;

    @Test
    void everyRowIsMeasuredAndNothingIsLeftBehind() {
        LabRun run = new LabRun(new LabOptions(true, 1, directory), () -> 50, LabObserver.NONE);
        LabResult result = run.run(new EventLogExperiment(OPTIONS), 1, 1);

        TableResult table = result.experiments().get(0).tables().get(0);
        assertThat(table.rows()).extracting(RowResult::failure).containsOnlyNulls();
        assertThat(table.rows()).hasSize(7).allSatisfy(row -> {
            assertThat(table.figure(row, EventLogGo.MEAN).median()).isPositive();
            assertThat(table.figure(row, EventLogGo.COUNT).median()).isPositive();
        });
        assertThat(table.rows())
                .extracting(row -> row.label())
                .containsAll(table.table().claims().cells().keySet());
        assertThat(table.table().judge().judge(table)).hasSize(12);
        assertThat(table.table().charts().get(0).series().of(table)).hasSize(7);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theCurveRisesToTheMaximum() throws Exception {
        Measurement measurement = go(LockedStream::new).go(new Go(directory, 1));
        assertThat(measurement.curve()).isNotEmpty();
        for (int i = 1; i < measurement.curve().size(); i++) {
            assertThat(measurement.curve().get(i).y())
                    .isBetween(measurement.curve().get(i - 1).y(), measurement.value(EventLogGo.MAX));
        }
    }

    @Test
    void theArticlesClosingFails() {
        // With less than a block a thread, all that closing queues is lost, unless the writer looks just then.
        EventLogGo careless = go(file -> new BufferedWritesOffThread(file, Ending.AS_PRINTED));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 20; i++) {
                        careless.go(new Go(directory, i));
                    }
                })
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining(" lost");
    }

    @Test
    void oneThatRepeatsAnEventFails() {
        Contestant stutters = go(file -> new Around(new LockedWriter(file)) {
            private final AtomicInteger count = new AtomicInteger();

            @Override
            public void recordEvent(Event event) {
                super.recordEvent(event);
                if (count.getAndIncrement() == 100) {
                    super.recordEvent(event);
                }
            }
        });
        assertThatThrownBy(() -> stutters.go(new Go(directory, 1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageEndingWith("events: 1 too many");
    }

    @Test
    void oneThatCannotWriteFails() {
        Contestant broken = go(file -> new Around(new LockedWriter(file)) {
            @Override
            public void recordEvent(Event event) {
                throw new UncheckedIOException(new IOException("no space left"));
            }
        });
        assertThatThrownBy(() -> broken.go(new Go(directory, 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no space left");
    }

    @Test
    void theNeedsGrowWithThreadsAndTime() {
        LabOptions lab = new LabOptions(false, 5, directory);
        long small = new EventLogExperiment(OPTIONS).needs(lab).diskBytes();
        long large = new EventLogExperiment(new EventLogOptions(30, Duration.ofMillis(1000), false))
                .needs(lab)
                .diskBytes();
        assertThat(large).isBetween(99 * small, 101 * small);
    }

    private static EventLogGo go(EventLogGo.Opener opener) {
        return new EventLogGo("under test", opener, OPTIONS);
    }

    /** Another log, to be broken. */
    private abstract static class Around implements EventLog {
        private final EventLog log;

        Around(EventLog log) {
            this.log = log;
        }

        @Override
        public void recordEvent(Event event) {
            log.recordEvent(event);
        }

        @Override
        public void close() throws IOException {
            log.close();
        }
    }
}

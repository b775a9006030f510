package dev.msgrelay.lab.eventlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.eventlog.EventLog.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventLogTest {
    private static final int THREADS = 4;
    private static final int EVENTS = 2_000;

    @TempDir
    private Path directory;

    static Stream<Opener<Path, EventLog>> contestants() {
        return Stream.of(
                EventLog.LockedWriter::new,
                EventLog.LockedStream::new,
                file -> new EventLog.PositionWrites(file, 0),
                file -> new EventLog.PositionWrites(file, EventLogExperiment.BLOCK),
                BufferedWritesOffThread::new,
                DisruptorBatches::new);
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void writesEveryEventOnceAndWhole(Opener<Path, EventLog> contestant) throws Exception {
        Path file = directory.resolve("log");
        List<Event> recorded = Collections.synchronizedList(new ArrayList<>());
        try (EventLog log = contestant.open(file)) {
            recordFromThreads(log, recorded);
        }
        EventTally tally = new EventTally();
        recorded.forEach(tally::add);

        assertThat(recorded).hasSize(THREADS * EVENTS);
        assertThat(Files.readAllLines(file)).containsExactlyInAnyOrderElementsOf(lines(recorded));
        assertThatCode(() -> tally.verify(file)).doesNotThrowAnyException();
    }

    private static void recordFromThreads(EventLog log, List<Event> recorded) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            threads.add(new Thread(() -> {
                awaitQuietly(start);
                for (int number = 0; number < EVENTS; number++) {
                    Event event = event(thread, number);
                    recordOrThrow(log, event);
                    recorded.add(event);
                }
            }));
        }
        threads.forEach(Thread::start);
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void recordOrThrow(EventLog log, Event event) {
        try {
            log.recordEvent(event);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of very different lengths, one longer than a batch, and not all ASCII. */
    private static Event event(int thread, int number) {
        String message = "thread " + thread + " \u00e9\u20ac " + "x".repeat(number % 300)
                + (number == EVENTS / 2 ? "y".repeat(100_000) : "");
        return new Event(UUID.randomUUID(), ZonedDateTime.now(ZoneOffset.UTC), message);
    }

    private static List<String> lines(List<Event> events) {
        return events.stream()
                .map(event -> DateTimeFormatter.ISO_DATE_TIME.format(event.created()) + " " + event.id() + " "
                        + event.message())
                .toList();
    }
}

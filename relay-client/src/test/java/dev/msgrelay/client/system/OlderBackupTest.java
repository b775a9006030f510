package dev.msgrelay.client.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.PositionStore;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup of a relay's journal, a start of the relay behind it, more messages, and the backup is put back, twice:
 * readers and publishers, in a process that lives through it and in one that is started anew, go on where the backup
 * ends.
 */
class OlderBackupTest {
    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    private Path temporary;

    private final int publishPort;
    private final int subscribePort;
    private final List<SessionEvent> published = Collections.synchronizedList(new ArrayList<>());
    private Path journal;
    private int lineCount;
    private TestProcess relay;

    /** A reader with all that it holds for the stream. */
    private static final class Reader {
        private final Map<Long, String> had = new TreeMap<>();
        private final List<SessionEvent> events = new ArrayList<>();
        private final List<Gap> gaps = new ArrayList<>();

        SubscriberOptions.Builder options(int port) {
            return SubscriberOptions.builder(Endpoint.tcp("127.0.0.1", port))
                    .fromEarliest()
                    .reconnect(SubscriberSystemTest.QUICK)
                    .onGap(gaps::add)
                    .onEvent(event -> {
                        events.add(event);
                        if (event instanceof SessionEvent.StreamRolledBack back) {
                            had.keySet().removeIf(sequence -> sequence >= back.fork());
                        }
                    });
        }

        /** Reads until it has so many messages, and no more. */
        void read(RelaySubscriber subscriber, int until) throws IOException {
            long end = System.nanoTime() + LONG.toNanos();
            while (subscriber.next() != until + 1 || had.size() != until) {
                assertThat(System.nanoTime()).as("in time: %s", events).isLessThan(end);
                subscriber.poll((sequence, type, body) -> {
                    String before = had.put(sequence, text(body));
                    assertThat(before).as("message %d comes once", sequence).isNull();
                });
            }
        }

        /** What it was told: the first that is gone, and the last that it had. */
        List<List<Long>> rolledBack() {
            return events.stream()
                    .filter(SessionEvent.StreamRolledBack.class::isInstance)
                    .map(SessionEvent.StreamRolledBack.class::cast)
                    .map(back -> List.of(back.fork(), back.had()))
                    .toList();
        }
    }

    OlderBackupTest() throws IOException {
        publishPort = FreePort.next();
        subscribePort = FreePort.next();
    }

    @AfterEach
    void end() {
        relay.close();
    }

    @Test
    void allGoOnWhereTheBackupEnds() throws Exception {
        journal = temporary.resolve("journal");
        Path backup = temporary.resolve("backup");
        Reader living = new Reader();
        Reader startedAnew = new Reader();
        startRelay();
        try (RelayPublisher orders = orders();
                RelaySubscriber subscriber =
                        RelaySubscriber.open(living.options(subscribePort).build())) {
            publishLines(100);
            publish(orders, 1, 50);
            living.read(subscriber, 150);
            readAnew(startedAnew, 150);
            assertThat(relay.terminate()).isZero();
            copy(journal, backup);
            // Of each turn: the orders behind the backup, all messages before the loss, and the order behind it.
            turn(backup, orders, subscriber, List.of(living, startedAnew), 51, 80, 280, 81);
            turn(backup, orders, subscriber, List.of(living, startedAnew), 82, 111, 381, 112);
        }
        for (Reader reader : List.of(living, startedAnew)) {
            assertThat(reader.rolledBack()).containsExactly(List.of(151L, 280L), List.of(151L, 381L));
            assertThat(reader.events).noneMatch(SessionEvent.StreamChanged.class::isInstance);
            assertThat(reader.gaps).isEmpty();
        }
        assertThat(published).noneMatch(SessionEvent.RelayRestarted.class::isInstance);
        assertThat(published.stream()
                        .filter(SessionEvent.AcknowledgedGone.class::isInstance)
                        .map(SessionEvent.AcknowledgedGone.class::cast)
                        .map(gone -> List.of(gone.from(), gone.to())))
                .containsExactly(List.of(51L, 80L), List.of(81L, 111L));
    }

    /** A life of the stream that the backup does not know, as behind an upgrade; then the backup is put back. */
    private void turn(
            Path backup,
            RelayPublisher orders,
            RelaySubscriber subscriber,
            List<Reader> readers,
            int firstOrder,
            int lastOrder,
            int before,
            int nextOrder)
            throws Exception {
        startRelay();
        publishLines(100);
        publish(orders, firstOrder, lastOrder);
        readers.get(0).read(subscriber, before);
        readAnew(readers.get(1), before);
        assertThat(relay.terminate()).isZero();

        journal = temporary.resolve("journal-" + nextOrder);
        copy(backup, journal);
        startRelay();
        assertThat(publishLines(0))
                .contains("the relay no longer has messages 101 to " + lineCount + " of " + lines())
                .contains("published " + (lineCount - 100) + " messages");
        publish(orders, nextOrder, nextOrder);
        List<String> expected = Stream.of(
                        texts("line ", 1, 100),
                        texts("order ", 1, 50),
                        texts("line ", 101, lineCount),
                        texts("order ", nextOrder, nextOrder))
                .flatMap(stream -> stream)
                .toList();
        readers.get(0).read(subscriber, expected.size());
        readAnew(readers.get(1), expected.size());
        assertThat(stored()).as("each once").containsExactlyElementsOf(expected);
        for (Reader reader : readers) {
            assertThat(reader.had.values()).containsExactlyElementsOf(expected);
        }
        assertThat(relay.terminate()).isZero();
    }

    private static Stream<String> texts(String what, int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(number -> what + number);
    }

    private static String text(ByteBuffer body) {
        return UTF_8.decode(body).toString();
    }

    // ---- the relay and its files ------------------------------------------------------------------------------

    private void startRelay() throws IOException {
        relay = TestProcess.java(
                "dev.msgrelay.server.cli.RelayServerMain",
                "--admin=none",
                // The living reader is not polled meanwhile.
                "--drain-timeout=100ms",
                "--log-size=16m",
                "--journal=" + journal,
                "--journal-segment=2m",
                "--journal-keep=200m",
                "--publish-port=" + publishPort,
                "--subscribe-port=" + subscribePort);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private List<String> stored() throws IOException {
        FileDisk disk = new FileDisk(journal);
        List<String> stored = new ArrayList<>();
        JournalReader.read(disk, Recovery.inspect(disk, Recovery.Depth.ALL), 1, new JournalReader.Sink() {
            @Override
            public boolean message(long sequence, int type, ByteBuffer body) {
                assertThat(sequence).isEqualTo(stored.size() + 1);
                stored.add(text(body));
                return true;
            }

            @Override
            public void lost(Loss loss) {
                throw new AssertionError(loss);
            }
        });
        return stored;
    }

    // ---- the clients ------------------------------------------------------------------------------------------

    private Path lines() {
        return temporary.resolve("lines");
    }

    /** The file gains so many lines, and the command publishes what the relay has not. Returns what it says. */
    private String publishLines(int more) throws IOException {
        StandardOpenOption[] append = {StandardOpenOption.CREATE, StandardOpenOption.APPEND};
        Files.write(lines(), texts("line ", lineCount + 1, lineCount + more).toList(), append);
        lineCount += more;
        CommandRun run = CommandRun.of(
                "publish",
                ":" + publishPort,
                "--ack=forced",
                "--name=lines",
                "--state=" + temporary.resolve("state"),
                "--file=" + lines(),
                "--reconnect=endless");
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.err();
    }

    private RelayPublisher orders() throws IOException {
        return RelayPublisher.open(PublisherOptions.builder(Endpoint.tcp("127.0.0.1", publishPort))
                .acks("orders", Level.FORCED)
                .reconnect(SubscriberSystemTest.QUICK)
                .closeTimeout(LONG)
                .onEvent(published::add)
                .build());
    }

    private static void publish(RelayPublisher orders, int first, int last) throws Exception {
        for (int number = first; number <= last; number++) {
            orders.publish(1, "order " + number);
        }
        orders.flush(LONG);
    }

    /** A subscriber that goes on where its file says, and ends. */
    private void readAnew(Reader reader, int until) throws IOException {
        SubscriberOptions options = reader.options(subscribePort)
                .positions(PositionStore.file(temporary.resolve("reader.position")))
                .build();
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            reader.read(subscriber, until);
        }
    }
}

package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayErrorException;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.Directories;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A relay with a journal, a process that is killed and started again, and clients that wait for a level: what they were
 * promised is held against what is in the journal's files.
 */
class DurableSystemTest {
    private static final String RELAY = "dev.msgrelay.server.cli.RelayServerMain";
    /** A relay that is only starting is waited for. */
    private static final String ENDLESS = "--reconnect=endless";

    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    private Path temporary;

    private final List<Gap> gaps = Collections.synchronizedList(new ArrayList<>());
    private final List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
    // What a subscriber has had: numbers of the publisher by their sequences.
    private final Map<Long, Long> had = new TreeMap<>();
    private long newest;
    private final AtomicLong acked = new AtomicLong();
    private int publishPort;
    private int subscribePort;
    private Path directory;
    private TestProcess relay;

    @BeforeEach
    void place() throws IOException {
        publishPort = FreePort.next();
        subscribePort = FreePort.next();
        directory = temporary.resolve("journal");
    }

    @AfterEach
    void end() {
        relay.close();
    }

    /**
     * Killed under load. All that was acknowledged at the level is in the journal, each message once, in its order:
     * names and numbers outlive the relay, too.
     */
    @ConcurrentTest.Parameterized
    @EnumSource(
            value = Level.class,
            names = {"WRITTEN", "FORCED"})
    void whatWasAcknowledgedAtALevelOutlivesTheRelay(Level level) throws Exception {
        int lives = 2;
        int all = 4_000;
        startRelay();
        try (RelayPublisher publisher = publisher(level)) {
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> publish(publisher, 1, all));
            for (int life = 1; life < lives; life++) {
                long enough = (long) life * all / lives;
                await(() -> acked.get() >= enough);
                relay.kill();
                long before = acked.get();
                assertThat(numbers(false).values()).as("life %d", life).contains(before);
                startRelay();
            }
            load.get(120, TimeUnit.SECONDS);
            publisher.flush(LONG);
            relay.kill();
        }
        assertThat(acked.get()).isEqualTo(all);
        long last = 0;
        for (long number : numbers(true).values()) {
            assertThat(number).as("each once, in order").isEqualTo(last + 1);
            last = number;
        }
        assertThat(last).isEqualTo(all);
        assertThat(of(SessionEvent.AcknowledgedGone.class)).isEmpty();
        assertThat(of(SessionEvent.RelayRestarted.class)).isEmpty();
    }

    /**
     * What it had is on the disk: it goes on, and notices the new connection only. Thorough, for a fork below is more
     * of the same.
     */
    @Tag("thorough")
    @ConcurrentTest
    void aSubscriberGoesOnInTheNextLife() throws Exception {
        startRelay();
        try (RelayPublisher publisher = publisher(Level.FORCED);
                RelaySubscriber subscriber = subscriber(Level.STREAM)) {
            publish(publisher, 1, 500);
            publisher.flush(LONG);
            poll(subscriber, () -> had.size() == 500);
            long epoch = subscriber.epoch();
            relay.kill();
            startRelay();
            publish(publisher, 501, 800);
            poll(subscriber, () -> had.size() == 800);
            assertThat(subscriber.epoch()).isNotEqualTo(epoch);
        }
        assertThat(gaps).isEmpty();
        assertThat(had).hasSize(800).allSatisfy((sequence, number) -> assertThat(number)
                .isEqualTo(sequence));
        assertThat(of(SessionEvent.StreamChanged.class)).isEmpty();
        assertThat(of(SessionEvent.StreamRolledBack.class)).isEmpty();
        assertThat(of(SessionEvent.Lost.class)).isNotEmpty();
    }

    /** The files of a moment before, as a power cut leaves them: the numbers behind go to others. */
    @ConcurrentTest
    void whoHadMoreThanTheJournalIsToldWhereItForks() throws Exception {
        startRelay();
        try (RelayPublisher publisher = publisher(Level.FORCED);
                RelaySubscriber subscriber = subscriber(Level.STREAM)) {
            publish(publisher, 1, 300);
            publisher.flush(LONG);
            Path before = temporary.resolve("before");
            copy(directory, before);
            publish(publisher, 301, 500);
            publisher.flush(LONG);
            poll(subscriber, () -> had.size() == 500);
            long epoch = subscriber.epoch();
            relay.kill();
            directory = before;
            startRelay();
            had.keySet().removeIf(sequence -> sequence > 300);
            publish(publisher, 501, 600);
            poll(subscriber, () -> had.size() == 400);
            assertThat(of(SessionEvent.StreamRolledBack.class)).singleElement().satisfies(told -> {
                assertThat(told.oldEpoch()).isEqualTo(epoch);
                assertThat(told.epoch()).isEqualTo(subscriber.epoch());
                assertThat(told.had()).isEqualTo(500);
                assertThat(told.fork()).isEqualTo(301);
            });
            assertThat(of(SessionEvent.AcknowledgedGone.class)).singleElement().satisfies(gone -> {
                assertThat(gone.from()).isEqualTo(301);
                assertThat(gone.to()).isEqualTo(500);
            });
        }
        assertThat(gaps).isEmpty();
        assertThat(had.get(300L)).isEqualTo(300);
        assertThat(had.get(301L)).as("another message has the number").isEqualTo(501);
        assertThat(had.get(400L)).isEqualTo(600);
        assertThat(of(SessionEvent.StreamChanged.class)).isEmpty();
    }

    /**
     * Killed under load: all that it ever had is in the journal, under the same numbers. Thorough, as the server's
     * simulation has it.
     */
    @Tag("thorough")
    @ConcurrentTest.Parameterized
    @EnumSource(
            value = Level.class,
            names = {"WRITTEN", "FORCED"})
    void aSubscriberOfDurableMessagesHasNothingThatIsGone(Level level) throws Exception {
        startRelay();
        try (RelayPublisher publisher = publisher(Level.STREAM);
                RelaySubscriber subscriber = subscriber(level)) {
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> publish(publisher, 1, 20_000));
            poll(subscriber, () -> had.size() > 3_000);
            relay.kill();
            // What has arrived before the end is still to be read.
            poll(subscriber, () -> !of(SessionEvent.Lost.class).isEmpty());
            Map<Long, Long> kept = numbers(false);
            assertThat(kept).containsAllEntriesOf(had);
            assertThat(kept.size())
                    .as("and it was behind the journal, if at all")
                    .isGreaterThanOrEqualTo(had.size());
            startRelay();
            load.get(120, TimeUnit.SECONDS);
            publisher.flush(LONG);
            poll(subscriber, () -> newest == 20_000);
        }
        assertThat(of(SessionEvent.StreamRolledBack.class)).isEmpty();
        assertThat(of(SessionEvent.StreamChanged.class)).isEmpty();
    }

    @ConcurrentTest
    void whoWaitsIsToldThatTheJournalHasFailed() throws Exception {
        afterAJournalThatFailedTheyGoOn("memory");
    }

    /** Thorough, as it is two processes for one exit code, and the rest is as above. */
    @Tag("thorough")
    @ConcurrentTest
    void aRelayThatEndsWithItsJournalSaysSoByItsExitCode() throws Exception {
        afterAJournalThatFailedTheyGoOn("exit");
    }

    private void afterAJournalThatFailedTheyGoOn(String then) throws Exception {
        startRelay("--journal-failure=" + then);
        try (RelayPublisher publisher = publisher(Level.FORCED);
                RelaySubscriber subscriber = subscriber(Level.WRITTEN)) {
            publish(publisher, 1, 10);
            publisher.flush(LONG);
            poll(subscriber, () -> had.size() == 10);
            await(() -> Directories.remove(directory));
            // A relay that ends tells both of them before its process does.
            poll(subscriber, () -> journalFailed(subscribePort));
            await(() -> journalFailed(publishPort));
            if (then.equals("exit")) {
                assertThat(relay.awaitExit()).isEqualTo(4);
            }
            // They try again until there is a journal again; here it is another one.
            relay.kill();
            startRelay();
            publish(publisher, 11, 20);
            publisher.flush(LONG);
            poll(subscriber, () -> newest == 20);
            assertThat(of(SessionEvent.RelayRestarted.class)).hasSize(1);
            assertThat(of(SessionEvent.StreamChanged.class)).hasSize(1);
        }
    }

    /**
     * Killed under load. Who reads from the earliest message on afterwards gets all that was acknowledged as written,
     * byte for byte, from the disk, and goes on with what comes. Thorough, as it kills processes under load, as tests
     * above do.
     */
    @Tag("thorough")
    @ConcurrentTest
    void whoComesBehindTheKillGetsAllThatWasWrittenAndGoesOnLive() throws Exception {
        int load = 4_000;
        int all = load + 100;
        startRelay();
        try (RelayPublisher publisher = publisher(Level.WRITTEN)) {
            CountDownLatch killed = new CountDownLatch(1);
            CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
                publishBodies(publisher, 1, load * 3 / 4);
                awaitLatch(killed);
                publishBodies(publisher, load * 3 / 4 + 1, load);
            });
            await(() -> acked.get() >= load / 2);
            relay.kill();
            long written = acked.get();
            killed.countDown();
            assertThat(numbers(false)).hasSizeGreaterThanOrEqualTo((int) written);
            startRelay();
            CompletableFuture<CommandRun> reader = CommandRun.start(
                    "",
                    "subscribe",
                    ":" + subscribePort,
                    "--from=earliest",
                    "--policy=replay",
                    "--hex",
                    "--count=" + all,
                    ENDLESS);
            publishing.get(120, TimeUnit.SECONDS);
            publishBodies(publisher, load + 1, all);
            publisher.flush(LONG);
            CommandRun run = reader.get(120, TimeUnit.SECONDS);
            assertThat(run.exitCode()).as(run.err()).isZero();
            List<String> messages = run.out()
                    .lines()
                    .filter(line -> line.startsWith("sequence "))
                    .toList();
            assertThat(messages).hasSize(all);
            for (int number = 1; number <= all; number++) {
                byte[] body = body(number);
                assertThat(messages.get(number - 1))
                        .isEqualTo("sequence " + number + ", type 1, " + body.length + " bytes, hex: "
                                + HexFormat.of().formatHex(body));
            }
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** No two are alike. */
    private static byte[] body(long number) {
        Random random = new Random(number);
        byte[] body = new byte[Long.BYTES + random.nextInt(400)];
        random.nextBytes(body);
        ByteBuffer.wrap(body).putLong(0, number);
        return body;
    }

    private static void publishBodies(RelayPublisher publisher, long first, long last) {
        try {
            for (long number = first; number <= last; number++) {
                ByteBuffer body = ByteBuffer.wrap(body(number));
                assertThat(publisher.publish(1, body, LONG)).isSameAs(PublishOutcome.ACCEPTED);
                if (number % 20 == 0) {
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean journalFailed(int port) {
        return of(SessionEvent.Lost.class).stream()
                .filter(lost -> lost.endpoint().toString().endsWith(":" + port))
                .anyMatch(lost -> lost.cause() instanceof RelayErrorException error
                        && error.reason() == CloseReason.JOURNAL_FAILED);
    }

    /** Thorough, as it is one more relay with a journal. */
    @Tag("thorough")
    @ConcurrentTest
    void theCommandsSayTheLevel() throws Exception {
        startRelay();
        Path lines = Files.write(temporary.resolve("lines"), List.of("a", "b", "c"));
        CompletableFuture<CommandRun> subscribe = CommandRun.start(
                "",
                "subscribe",
                ":" + subscribePort,
                "--durable",
                "forced",
                "--from",
                "1",
                "--count",
                "3",
                "--print",
                ENDLESS);
        CommandRun publish =
                CommandRun.of("publish", ":" + publishPort, "--ack=forced", "--file", lines.toString(), ENDLESS);
        assertThat(publish.exitCode()).as(publish.err()).isZero();
        assertThat(subscribe.get(120, TimeUnit.SECONDS).exitCode()).isZero();
        assertThat(numbers(false)).as("they are in the journal").hasSize(3);
    }

    // ---- the relay and its files ------------------------------------------------------------------------------

    private void startRelay(String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "--json",
                "--log-size=16m",
                "--journal=" + directory,
                "--journal-segment=2m",
                "--journal-keep=200m",
                "--journal-force=200ms",
                "--publish-port=" + publishPort,
                "--subscribe-port=" + subscribePort));
        args.addAll(List.of(more));
        relay = TestProcess.java(RELAY, args.toArray(String[]::new));
    }

    /**
     * What is in the journal: the publisher's numbers by their sequences.
     *
     * @param toTheEnd whether the relay is gone: then the tail may be torn, and nothing else
     */
    private Map<Long, Long> numbers(boolean toTheEnd) throws IOException {
        FileDisk disk = new FileDisk(directory);
        Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
        assertThat(found.damage()).isEmpty();
        assertThat(found.sound() || !toTheEnd).isTrue();
        Map<Long, Long> numbers = new TreeMap<>();
        JournalReader.read(disk, found, 1, new JournalReader.Sink() {
            @Override
            public boolean message(long sequence, int type, ByteBuffer body) {
                numbers.put(sequence, body.remaining() < Long.BYTES ? 0 : body.getLong(body.position()));
                return true;
            }

            @Override
            public void lost(Loss loss) {
                throw new AssertionError(loss);
            }
        });
        return numbers;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(f -> !f.endsWith("lock")).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    // ---- the clients ------------------------------------------------------------------------------------------

    private RelayPublisher publisher(Level level) throws IOException {
        return RelayPublisher.open(PublisherOptions.builder(Endpoint.tcp("127.0.0.1", publishPort))
                .acks("orders", level)
                .reconnect(SubscriberSystemTest.QUICK)
                .closeTimeout(LONG)
                .onAck((number, sequence) -> acked.set(number))
                .onEvent(events::add)
                .build());
    }

    private RelaySubscriber subscriber(Level level) throws IOException {
        return RelaySubscriber.open(SubscriberOptions.builder(Endpoint.tcp("127.0.0.1", subscribePort))
                .fromSequence(0, 1)
                .durableOnly(level)
                .reconnect(SubscriberSystemTest.QUICK)
                .onGap(gaps::add)
                .onEvent(events::add)
                .build());
    }

    private static void publish(RelayPublisher publisher, long first, long last) {
        ByteBuffer body = ByteBuffer.allocate(100);
        try {
            for (long number = first; number <= last; number++) {
                assertThat(publisher.publish(1, body.putLong(0, number), LONG)).isSameAs(PublishOutcome.ACCEPTED);
                if (number % 20 == 0) {
                    TimeUnit.MICROSECONDS.sleep(200);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void poll(RelaySubscriber subscriber, BooleanSupplier done) throws IOException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("in time: had %d, %s %s", had.size(), events, gaps)
                    .isLessThan(end);
            subscriber.poll((sequence, type, body) -> {
                newest = body.getLong(body.position());
                if (sequence == 1) {
                    had.clear();
                }
                Long before = had.put(sequence, newest);
                assertThat(before).as("message %d comes once", sequence).isNull();
            });
        }
    }

    private void await(BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("in time: acknowledged %d, %s", acked.get(), events)
                    .isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private <T extends SessionEvent> List<T> of(Class<T> type) {
        return List.copyOf(events).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }
}

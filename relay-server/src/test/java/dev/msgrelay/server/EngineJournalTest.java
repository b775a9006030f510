package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.JournalTypes;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A relay with a journal: lives one behind the other, and who waits for the disk. */
class EngineJournalTest {
    @TempDir
    private Path directory;

    private TestRelay start() throws IOException {
        // Forced for who waits, and otherwise not within a test.
        return TestRelay.start(Setting.NIO_TCP, b -> b.set(JOURNAL, directory)
                .set(JOURNAL_KEEP_TIME, Duration.ofDays(1))
                .set(JOURNAL_FORCE, Duration.ofHours(1)));
    }

    private static long epoch(TestRelay relay) {
        return relay.relay().engine().services().durability().life().epoch();
    }

    private static void publish(TestRelay relay, int first, int count) throws IOException {
        publish(relay, first, count, 100);
    }

    private static void publish(TestRelay relay, int first, int count, int body) throws IOException {
        long before = relay.stats().get(Counter.MESSAGES_IN);
        try (PlainPublisher publisher = relay.publisher()) {
            for (int i = 0; i < count; i++) {
                publisher.send(new Frames().frame(first + i, body));
            }
            relay.awaitMessagesIn(before + count);
        }
    }

    private List<Integer> types() throws IOException {
        return JournalTypes.of(directory);
    }

    @Test
    void eachLifeGoesOnWhereTheOneBeforeEnded() throws Exception {
        List<Long> epochs = new ArrayList<>();
        List<Integer> published = new ArrayList<>();
        for (int life = 0; life < 3; life++) {
            try (TestRelay relay = start()) {
                long epoch = epoch(relay);
                Durability durability = relay.relay().engine().services().durability();
                assertThat(durability.forkOf(epoch)).isEqualTo(Durability.TODAY);
                assertThat(durability.forkOf(epoch + 1)).isEqualTo(Durability.UNKNOWN);
                for (int i = 0; i < epochs.size(); i++) {
                    assertThat(durability.forkOf(epochs.get(i))).isEqualTo(100L * (i + 1) + 1);
                }
                assertThat(epochs).doesNotContain(epoch);
                epochs.add(epoch);
                assertThat(relay.relay().recovered().orElseThrow().endSequence())
                        .isEqualTo(100L * life + 1);
                publish(relay, 1000 * life, 100);
                assertThat(relay.stats().get(Counter.MESSAGES_IN))
                        .as("since the start")
                        .isEqualTo(100);
            }
            for (int i = 0; i < 100; i++) {
                published.add(1000 * life + i);
            }
            assertThat(types()).isEqualTo(published);
        }
    }

    @Test
    void aNameGoesOnInTheNextLife() throws Exception {
        long epoch = 0;
        for (int life = 0; life < 3; life++) {
            try (TestRelay relay = start();
                    TalkingPublisher publisher = TalkingPublisher.connect(
                            relay, Hello.acks("orders", 1).producer(1, 2).epoch(epoch))) {
                Control welcome = publisher.next();
                assertThat(welcome.accepted()).isEqualTo(100L * life);
                epoch = welcome.epoch();
                Frames all = new Frames();
                for (int i = 1; i <= 100 * (life + 1); i++) {
                    all.frame(i, 10);
                }
                publisher.send(all).awaitAck(100L * (life + 1));
                assertThat(relay.stats().get(Counter.DUPLICATES)).isEqualTo(100L * life);
                try (TalkingPublisher stranger =
                        TalkingPublisher.connect(relay, Hello.acks("orders", 1).producer(3, 4))) {
                    assertThat(stranger.awaitError().code()).isEqualTo(CloseReason.NAME_HELD.code());
                }
            }
        }
        assertThat(types()).isEqualTo(IntStream.rangeClosed(1, 300).boxed().toList());
    }

    @Test
    void whoWaitsIsTold() throws Exception {
        try (TestRelay relay = start()) {
            RelayEngine engine = relay.relay().engine();
            Durability durability = engine.services().durability();
            AtomicInteger told = new AtomicInteger();
            onCore(engine, () -> durability.onMoved(told::incrementAndGet));
            publish(relay, 0, 50);
            long head = 50 * 108;
            // An idle core is woken for it.
            onCore(engine, () -> durability.wantForced(head));
            Await.until("forced", () -> durability.forced().position() == head);
            Await.until("told", () -> told.get() > 0);
            assertThat(durability.written().position()).isEqualTo(head);
            Await.until(
                    () -> "a force is counted: " + relay.stats(),
                    () -> relay.stats().get(Counter.JOURNAL_FORCES) > 0);
            assertThat(durability.failed()).isFalse();
        }
    }

    private static void onCore(RelayEngine engine, Runnable task) throws Exception {
        engine.core().io().submit(task).get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void withoutAJournalOnlyTodayIsKnown() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            Durability durability = relay.relay().engine().services().durability();
            assertThat(durability.forkOf(epoch(relay))).isEqualTo(Durability.TODAY);
            assertThat(durability.forkOf(1)).isEqualTo(Durability.UNKNOWN);
            assertThat(durability.keepsStream()).isFalse();
            assertThat(relay.relay().recovered()).isEmpty();
            assertThat(relay.stats().has(Counter.JOURNAL_FAILED)).isFalse();
        }
    }

    @Test
    void nothingIsLostAtFullSpeed() throws Exception {
        int threads = 2;
        int each = 100_000;
        try (TestRelay relay = start()) {
            List<Thread> producers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                LocalPublisher publisher = relay.relay().newLocalPublisher();
                int type = t;
                Thread producer = new Thread(() -> {
                    ByteBuffer body = ByteBuffer.allocateDirect(100);
                    for (int i = 0; i < each; i++) {
                        body.clear();
                        while (publisher.publish(type, body) == PublishOutcome.FULL) {
                            Thread.yield();
                        }
                    }
                });
                producer.start();
                producers.add(producer);
            }
            for (Thread producer : producers) {
                Await.join(producer);
            }
            relay.awaitMessagesIn((long) threads * each);
        }
        List<Integer> types = types();
        for (int t = 0; t < threads; t++) {
            assertThat(Collections.frequency(types, t)).isEqualTo(each);
        }
    }

    /** Short messages, and segments that are full soon. */
    private RelayConfig.Builder small(RelayConfig.Builder config) {
        return config.set(MAX_BODY, 1000)
                .set(JOURNAL, directory)
                .set(JOURNAL_SEGMENT, 16 << 10)
                .set(JOURNAL_KEEP_TIME, Duration.ofDays(1));
    }

    @Test
    void inMemoryAloneAfterAFailure() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> small(b).set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)
                        .set(JOURNAL_FAILURE, JournalConfig.Failure.MEMORY));
                PlainSubscriber subscriber = relay.subscriber()) {
            publish(relay, 0, 10);
            Await.until("the directory is gone", () -> Directories.remove(directory));
            Await.until(() -> "failed: " + relay.stats(), () -> relay.stats().get(Counter.JOURNAL_FAILED) == 1);
            // Far more than the log may be ahead of a journal.
            publish(relay, 10, 20_000, 900);
            subscriber.awaitMessages(20_010);
            assertThat(relay.relay().ready()).isTrue();
            assertThat(relay.relay().failure()).isNotDone();
            assertThat(relay.relay().engine().services().durability().failed()).isTrue();
        }
    }
}

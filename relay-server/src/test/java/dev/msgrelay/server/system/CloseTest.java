package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The end of a relay: what is in the stream goes out, in bounded time, and nothing is left behind. */
class CloseTest {
    private static final long WAIT_NANOS = Await.LIMIT_NANOS;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void whatIsInTheStreamGoesOut(Setting setting) throws Exception {
        TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
        LocalPublisher local = relay.relay().newLocalPublisher();
        try (PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int number = fill(relay, local);
            Workers closing = new Workers().start("close", relay::close);
            PublishOutcome outcome = PublishOutcome.FULL;
            while (outcome != PublishOutcome.CLOSED) {
                outcome = publish(local, number, 1, 0);
                number += outcome == PublishOutcome.ACCEPTED ? 1 : 0;
            }
            subscriber.resume();
            closing.join();
            subscriber.awaitEnd().received().assertAllOf(number);
            assertThat(subscriber.end()).isEqualTo("end of stream");
            assertThat(subscriber.received().leftover()).isZero();
            assertThat(relay.stats().get(Counter.MESSAGES_OUT)).isEqualTo(number);
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void itIsBoundedWhenASubscriberDoesNotRead(Setting setting) throws Exception {
        TestRelay relay = TestRelay.start(setting, b -> b.ringSize(TestRelay.SMALL_RING)
                .logSize(TestRelay.SMALL_LOG)
                .maxBody(TestRelay.SMALL_MAX_BODY)
                .slowSubscriber(Policy.BACKPRESSURE)
                .drainTimeout(Duration.ofMillis(200)));
        LocalPublisher local = relay.relay().newLocalPublisher();
        try (PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int number = fill(relay, local);
            long start = System.nanoTime();
            relay.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
            subscriber.resume();
            subscriber.awaitEnd();
            subscriber.received().assertAllOf(subscriber.received().count());
            assertThat(subscriber.received().count()).isLessThan(number);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void publishersThatGoOnDoNotKeepItOpen(Setting setting) throws Exception {
        TestRelay relay = TestRelay.start(setting, b -> b.ringSize(TestRelay.SMALL_RING)
                .logSize(TestRelay.SMALL_LOG)
                .maxBody(TestRelay.SMALL_MAX_BODY)
                .slowSubscriber(Policy.BACKPRESSURE)
                .drainTimeout(Duration.ofDays(1)));
        try (PlainSubscriber subscriber = relay.subscriber()) {
            List<PlainPublisher> connections = new ArrayList<>();
            Workers publishers = new Workers();
            AtomicInteger cutOff = new AtomicInteger();
            for (int p = 0; p < 3; p++) {
                PlainPublisher connection = relay.publisher();
                connections.add(connection);
                byte[] burst = new Stream(p, 300).next(200_000).bytes();
                publishers.start("publisher-" + p, () -> {
                    try {
                        while (true) {
                            connection.send(ByteBuffer.wrap(burst));
                        }
                    } catch (java.io.IOException end) {
                        cutOff.incrementAndGet();
                    }
                });
            }
            Await.until(
                    "publishers are held back now and then", () -> relay.stats().get(Counter.HELD_BACK) > 10);
            // The drain timeout is there for subscribers, and this one reads.
            relay.close();
            publishers.join();
            assertThat(cutOff).hasValue(3);
            subscriber.awaitEnd();
            assertThat(subscriber.received().wrong()).isNull();
            assertThat(subscriber.received().leftover()).isZero();
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
            for (PlainPublisher connection : connections) {
                connection.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void everyoneIsTold(Setting setting) throws Exception {
        TestRelay relay = TestRelay.start(setting);
        try (PlainPublisher publisher = relay.publisher()) {
            relay.awaitPublishers(1);
            relay.close();
            assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void nothingIsLeftBehind(Setting setting) throws Exception {
        long before = PlatformDependent.usedDirectMemory();
        assertThat(before).as("Netty counts direct memory").isNotNegative();
        TestRelay relay = TestRelay.start(setting);
        InetSocketAddress publish = relay.relay().publishAddress();
        InetSocketAddress subscribe = relay.relay().subscribeAddress();
        LocalPublisher local = relay.relay().newLocalPublisher();
        PlainSubscriber subscriber = relay.subscriber();
        PlainPublisher publisher = relay.publisher();
        // In the middle of a frame, so that the session keeps a part.
        publisher.send(
                new Frames().frame(Frames.type(0, 0), 100).header(1, 200_000).raw(new byte[1000]));
        subscriber.awaitMessages(1);
        assertThat(PlatformDependent.usedDirectMemory()).isGreaterThan(before);
        relay.close();
        assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
        assertThat(publish(local, 1, 10, 0)).isEqualTo(PublishOutcome.CLOSED);
        assertThat(local.publishRun(new Frames().frame(1, 1).buffer(), WAIT_NANOS))
                .isEqualTo(PublishOutcome.CLOSED);
        relay.close();
        assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        publisher.close();
        subscriber.close();

        // The same ports, at once.
        RelayConfig again = RelayConfig.builder()
                .publishPort(publish.getPort())
                .subscribePort(subscribe.getPort())
                .transport(setting.transport())
                .logSize(TestRelay.SMALL_LOG)
                .ringSize(TestRelay.SMALL_RING)
                .maxBody(TestRelay.SMALL_MAX_BODY)
                .build();
        RelayServer.start(again).close();
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void producersOfThisProcessAreToldWhereverTheyStand(Setting setting) throws Exception {
        for (int round = 0; round < 3; round++) {
            TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
            PlainSubscriber subscriber = relay.subscriber();
            AtomicInteger accepted = new AtomicInteger();
            Workers producers = new Workers();
            for (int p = 0; p < 3; p++) {
                LocalPublisher local = relay.relay().newLocalPublisher();
                producers.start("producer-" + p, () -> {
                    while (publish(local, 0, 100, WAIT_NANOS) == PublishOutcome.ACCEPTED) {
                        accepted.incrementAndGet();
                    }
                });
            }
            relay.awaitMessagesIn(1000);
            relay.close();
            producers.join();
            // Accepted means in the stream, up to the very last one; and what is in the stream goes out.
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(accepted.get());
            subscriber.awaitEnd();
            assertThat(subscriber.received().count()).isEqualTo(accepted.get());
            subscriber.close();
        }
    }

    /** Until the ring itself is full: ring, log and socket all hold something. Answers the number of messages. */
    private static int fill(TestRelay relay, LocalPublisher local) {
        int number = 0;
        for (boolean full = false; !full; ) {
            PublishOutcome outcome = publish(local, number, 1000, TimeUnit.MILLISECONDS.toNanos(5));
            number += outcome == PublishOutcome.ACCEPTED ? 1 : 0;
            full = outcome == PublishOutcome.FULL && relay.heldByReaders();
        }
        return number;
    }

    private static PublishOutcome publish(LocalPublisher local, int number, int length, long waitNanos) {
        ByteBuffer body = new Frames().frame(Frames.type(0, number), length).buffer();
        return local.publish(Frames.type(0, number), body.position(8), waitNanos);
    }
}

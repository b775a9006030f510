package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The end of a relay: what is in the stream goes out, in bounded time, and nothing is left behind. */
class CloseTest {
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void whatIsInTheStreamGoesOut(Setting setting) throws Exception {
        TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
        LocalPublisher local = relay.relay().newLocalPublisher();
        try (PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int number = relay.fill(local, 1000);
            Workers closing = new Workers().start("close", relay::close);
            PublishOutcome outcome = PublishOutcome.FULL;
            while (outcome != PublishOutcome.CLOSED) {
                outcome = TestRelay.publish(local, number, 1, 0);
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
        TestRelay relay =
                TestRelay.small(setting, Policy.BACKPRESSURE, b -> b.set(DRAIN_TIMEOUT, Duration.ofMillis(200)));
        LocalPublisher local = relay.relay().newLocalPublisher();
        try (PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int number = relay.fill(local, 1000);
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
        TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE, b -> b.set(DRAIN_TIMEOUT, Duration.ofDays(1)));
        try (PlainSubscriber subscriber = relay.subscriber()) {
            Workers publishers = new Workers();
            for (int p = 0; p < 3; p++) {
                byte[] burst = new Stream(p, 300).next(200_000).bytes();
                publishers.start("publisher-" + p, () -> {
                    try (PlainPublisher connection = relay.publisher()) {
                        assertThatIOException().isThrownBy(() -> {
                            while (true) {
                                connection.send(ByteBuffer.wrap(burst));
                            }
                        });
                    }
                });
            }
            Await.until(
                    "publishers are held back now and then", () -> relay.stats().get(Counter.HELD_BACK) > 10);
            relay.awaitPublishers(3);
            // The drain timeout is there for subscribers, and this one reads.
            relay.close();
            publishers.join();
            subscriber.awaitEnd();
            assertThat(subscriber.received().wrong()).isNull();
            assertThat(subscriber.received().leftover()).isZero();
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
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
        assertThat(TestRelay.publish(local, 1, 10, 0)).isEqualTo(PublishOutcome.CLOSED);
        assertThat(local.publishRun(new Frames().frame(1, 1).buffer(), Await.LIMIT_NANOS))
                .isEqualTo(PublishOutcome.CLOSED);
        relay.close();
        assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        publisher.close();
        subscriber.close();

        // The same ports, at once.
        TestRelay.small(setting, Policy.SKIP, b -> b.set(PUBLISH_PORT, publish.getPort())
                        .set(SUBSCRIBE_PORT, subscribe.getPort()))
                .close();
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
                    while (TestRelay.publish(local, 0, 100, Await.LIMIT_NANOS) == PublishOutcome.ACCEPTED) {
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

    // ---- publishers that said HELLO ------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void whatItSaidBeforeItsOwnErrorIsRelayed(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 1))) {
            publisher.await(Hello.WELCOME);
            publisher.send(new Frames()
                    .frame(Frames.type(0, 0), 10)
                    .raw(Hello.error(11, "line 1\nline 2 \u001b[2J"))
                    .frame(Frames.type(0, 1), 10));
            relay.awaitClosed(CloseReason.PEER_CLOSED, 1);
            subscriber.awaitMessages(1).received().assertAllOf(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void drainingTellsAndAcknowledges(Setting setting) throws Exception {
        long[] acked = new long[3];
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainPublisher plain = relay.publisher();
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            for (int p = 0; p < 3; p++) {
                int number = p;
                TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("publisher-" + p, 1));
                publisher.await(Hello.WELCOME);
                // As much as the subscriber holds up, and more; a part of it is never read.
                workers.start("sending-" + p, () -> send(publisher, number));
                workers.start("reading-" + p, () -> acked[number] = readToTheEnd(publisher));
            }
            Await.until("held back", () -> relay.stats().get(Counter.HELD_BACK) > 0);
            workers.start("close", relay.relay()::close);
            subscriber.resume();
            subscriber.awaitEnd();
            workers.join();
            // A plain one is told as ever, and nothing else.
            assertThat(plain.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
            // The last ACK of each is what went out: nothing acknowledged is missing, nothing else was taken.
            subscriber.received().assertAllOf((int) acked[0], (int) acked[1], (int) acked[2]);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(acked[0] + acked[1] + acked[2]);
            assertThat(relay.closed(CloseReason.SHUTDOWN)).isEqualTo(5);
        }
    }

    private static void send(TalkingPublisher publisher, int number) {
        Stream stream = new Stream(number, 3000);
        try {
            while (stream.bytes() < 6 << 20) {
                publisher.send(stream.next(30_000));
            }
        } catch (IOException closed) {
            // what the relay has not read it does not take
        }
    }

    /** GOAWAY, then ACKs, then ERROR; closes, and answers the last number acknowledged. */
    private static long readToTheEnd(TalkingPublisher publisher) throws Exception {
        long acked = 0;
        boolean told = false;
        for (Control frame = publisher.next(); ; frame = publisher.next()) {
            assertThat(frame).as("ERROR before the end").isNotNull();
            switch (frame.type()) {
                case Hello.ACK -> acked = frame.first();
                case Hello.GOAWAY -> {
                    assertThat(frame.code()).isEqualTo(CloseReason.SHUTDOWN.code());
                    assertThat(frame.closesInMillis()).isBetween(1, TestRelay.DRAIN_SECONDS * 1000);
                    told = true;
                }
                case Hello.ERROR -> {
                    assertThat(frame.code()).isEqualTo(CloseReason.SHUTDOWN.code());
                    assertThat(told).as("GOAWAY goes before").isTrue();
                    publisher.close();
                    return acked;
                }
                default -> {}
            }
        }
    }
}

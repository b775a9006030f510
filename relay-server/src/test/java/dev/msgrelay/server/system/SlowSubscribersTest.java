package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.testing.ConcurrentTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each policy does with who does not read; nobody else notices, and no byte was wrong. */
class SlowSubscribersTest {
    private static final String PAIRS = "dev.msgrelay.server.harness.Setting#pairs";
    private static final int PAUSES = 3;

    // ---- backpressure: publishers wait, and nothing is lost; but not for ever ---------------------------------------

    @ConcurrentTest.Parameterized
    @MethodSource(PAIRS)
    void publishersWaitAndNothingIsLost(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber good = relay.subscriber();
                PlainSubscriber slow = relay.pausedSubscriber()) {
            Stream first = new Stream(0, 900);
            Stream second = new Stream(1, 5000);
            Workers publishers = new Workers();
            publishers.start("first", () -> publish(relay, first)).start("second", () -> publish(relay, second));
            Await.until(
                    () -> "a publisher is held back: " + relay.stats(),
                    () -> relay.stats().get(Counter.HELD_BACK) > 0);
            Await.until(() -> "the stream stands still: " + relay.stats(), () -> {
                long in = relay.stats().get(Counter.BYTES_IN);
                return Await.staysTrue(100, () -> relay.stats().get(Counter.BYTES_IN) == in);
            });
            assertThat(relay.stats().get(Counter.LARGEST_LAG_BYTES)).isLessThanOrEqualTo(TestRelay.SMALL_LOG);

            RelayStats standing = relay.stats();
            Await.until(
                    () -> "the hold that lasts is counted on: " + standing + ", now " + relay.stats(),
                    () -> List.of(Counter.HELD_BACK_MILLIS, Counter.BACKPRESSURE_MILLIS).stream()
                            .allMatch(millis -> relay.stats().get(millis) > standing.get(millis)));

            slow.resume();
            publishers.join();
            int all = first.count() + second.count();
            slow.awaitMessages(all).received().assertAllOf(first.count(), second.count());
            good.awaitMessages(all).received().assertAllOf(first.count(), second.count());
            Await.until("the ring is empty again", () -> relay.stats().get(Counter.RING_USED_CELLS) == 0);
            assertThat(relay.stats().get(Counter.RING_CELLS)).isEqualTo(TestRelay.SMALL_RING / 64);
            Await.until(
                    "what is over is not counted on",
                    () -> relay.stats().get(Counter.HELD_BACK_MILLIS)
                            == relay.stats().get(Counter.HELD_BACK_MILLIS));
            assertThat(relay.stats().get(Counter.MESSAGES_SKIPPED)).isZero();
            assertThat(relay.stats().closes())
                    .doesNotContainKeys(CloseReason.SLOW_SUBSCRIBER, CloseReason.STALLED_SUBSCRIBER);
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(PAIRS)
    void oneThatStandsStillForTheStallTimeoutIsCutOff(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(
                        setting, Policy.BACKPRESSURE, b -> b.set(STALL_TIMEOUT, Duration.ofSeconds(6)));
                PlainSubscriber good = relay.subscriber();
                PlainSubscriber stalled = relay.pausedSubscriber()) {
            Stream stream = new Stream(0, 900);
            Workers publisher = new Workers().start("publisher", () -> publish(relay, stream));
            relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, 1);
            publisher.join();
            good.awaitMessages(stream.count()).received().assertAllOf(stream.count());
            assertThat(good.end()).isNull();
            stalled.resume();
            stalled.awaitEnd().received().assertAllOf(stalled.received().count());
        }
    }

    /** Who was held back may no longer publish: nobody waits for the one that reads nothing, and it is not to blame. */
    @Test
    void whereNobodyWaitsAnyMoreNobodyIsCutOff() throws Exception {
        AccessPolicy readOnly = Policies.of("reads { from = 127.0.0.0/8, subscribe = all }");
        try (TestRelay relay = TestRelay.small(Setting.NIO_TCP, Policy.BACKPRESSURE);
                PlainSubscriber stopped = relay.pausedSubscriber()) {
            Workers floods =
                    new Workers().start("floods", () -> catchThrowable(() -> publish(relay, new Stream(0, 900))));
            Await.until(() -> "a publisher is held back: " + relay.stats(), relay::heldByReaders);
            assertThat(Await.staysTrue(500, relay::heldByReaders)).isTrue();
            relay.relay().reload(RelayConfig.builder().set(ACCESS, readOnly).build());
            relay.awaitClosed(CloseReason.REVOKED, 1);
            Await.until("nobody is held back any more", () -> !relay.heldByReaders());
            floods.join();
            relay.awaitSubscribers(1);
            stopped.resume();
        }
    }

    private static void publish(TestRelay relay, Stream stream) throws Exception {
        try (PlainPublisher publisher = relay.publisher()) {
            while (stream.bytes() < Stream.ENOUGH) {
                publisher.send(stream.next(100_000));
            }
        }
    }

    // ---- disconnect ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void oneThatDoesNotReadIsCutOff(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.DISCONNECT);
                PlainSubscriber good = relay.subscriber();
                PlainSubscriber slow = relay.pausedSubscriber();
                PlainPublisher publisher = relay.publisher()) {
            Stream stream = new Stream(0, 900);
            // In step with the good one: only the slow one falls behind.
            while (relay.closed(CloseReason.SLOW_SUBSCRIBER) == 0 && stream.bytes() < Stream.ENOUGH) {
                publisher.send(stream.next(100_000));
                good.awaitMessages(stream.count());
            }
            relay.awaitClosed(CloseReason.SLOW_SUBSCRIBER, 1);
            publisher.send(stream.next(100_000));
            good.awaitMessages(stream.count()).received().assertAllOf(stream.count());
            relay.awaitSubscribers(1);
            assertThat(relay.stats().get(Counter.CHUNKS_ASIDE)).isLessThanOrEqualTo(2);

            slow.resume();
            slow.awaitEnd();
            // What it had been sent is right from the first byte to the last.
            assertThat(slow.received().count()).isLessThan(stream.count());
            slow.received().assertAllOf(slow.received().count());
            assertThat(good.end()).isNull();
        }
    }

    // ---- skip ----------------------------------------------------------------------------------------------------

    static java.util.stream.Stream<Arguments> bodies() {
        return Setting.pairs()
                .flatMap(s -> List.of(arguments(s, 700), arguments(s, TestRelay.SMALL_MAX_BODY)).stream());
    }

    @ConcurrentTest.Parameterized
    @MethodSource("bodies")
    void whatIsSkippedIsWhatIsMissing(Setting setting, int maxBody) throws Exception {
        Random random = Seeds.random("SlowSubscribersTest " + setting + ", bodies up to " + maxBody);
        try (TestRelay relay = TestRelay.small(setting, Policy.SKIP);
                PlainSubscriber good = relay.subscriber();
                PlainSubscriber slow = relay.pausedSubscriber();
                PlainPublisher publisher = relay.publisher()) {
            Stream stream = new Stream(0, maxBody, random);
            for (int pause = 0; pause < PAUSES; pause++) {
                // So much that the socket's buffers and the log are full of it, in step with the good one.
                long until = stream.bytes() + Stream.ENOUGH / 2;
                while (stream.bytes() < until) {
                    publisher.send(stream.next(100_000));
                    good.awaitMessages(stream.count());
                }
                slow.resume();
                int count = stream.count();
                Await.until(
                        () -> "everything received or skipped: " + relay.stats() + ", received "
                                + slow.received().count() + " of " + count + ", wrong: "
                                + slow.received().wrong(),
                        () -> slow.received().count() + relay.stats().get(Counter.MESSAGES_SKIPPED) == count
                                || slow.received().wrong() != null);
                slow.pause();
            }
            assertThat(relay.stats().get(Counter.MESSAGES_SKIPPED)).isPositive();
            slow.received().assertOrderOnly(1);
            good.received().assertAllOf(stream.count());
            // The last message has arrived: to skip means to be up to date.
            assertThat(slow.received().types()).endsWith(stream.count() - 1);
            assertThat(relay.stats().closes()).isEmpty();
            long sent = good.received().count() + slow.received().count();
            Await.until(
                    () -> sent + " messages out: " + relay.stats(),
                    () -> relay.stats().get(Counter.MESSAGES_OUT) == sent);
            slow.resume();
        }
    }

    // ---- publishers that end while they are not read -------------------------------------------------------------

    private static final int PUBLISHERS = 4;

    private final List<PlainPublisher> publishers = new ArrayList<>();
    private final List<Stream> streams = new ArrayList<>();

    /** Fills the log, the ring, and the buffers of sockets a little: each publisher has sent what was not read. */
    private void holdBack(TestRelay relay) throws Exception {
        for (int p = 0; p < PUBLISHERS; p++) {
            publishers.add(relay.publisher());
            streams.add(new Stream(p, 2000));
        }
        for (long held = 0; held == 0; held = relay.stats().get(Counter.HELD_BACK)) {
            for (int p = 0; p < PUBLISHERS; p++) {
                publishers.get(p).send(streams.get(p).next(20_000));
            }
            // In step with the relay: a publisher's own send must not block.
            int sent = streams.stream().mapToInt(Stream::count).sum();
            Await.until(
                    "taken in or held back",
                    () -> relay.stats().get(Counter.MESSAGES_IN) == sent
                            || relay.stats().get(Counter.HELD_BACK) > 0);
        }
        for (int p = 0; p < PUBLISHERS; p++) {
            // What fits into a socket's buffers: nobody is blocked.
            publishers.get(p).send(streams.get(p).next(60_000));
        }
    }

    @AfterEach
    void closePublishers() throws Exception {
        for (PlainPublisher publisher : publishers) {
            publisher.close();
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(PAIRS)
    void aCloseOrAHalfCloseLosesNothing(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            holdBack(relay);
            for (int p = 0; p < PUBLISHERS; p += 2) {
                publishers.get(p).halfClose();
                publishers.get(p + 1).close();
            }
            subscriber.resume();
            int[] sent = streams.stream().mapToInt(Stream::count).toArray();
            subscriber.awaitMessages(Arrays.stream(sent).sum()).received().assertAllOf(sent);
            relay.awaitClosed(CloseReason.PEER_CLOSED, PUBLISHERS);
            assertThat(relay.stats().closes()).hasSize(1);
            for (int p = 0; p < PUBLISHERS; p += 2) {
                publishers.get(p).awaitEnd();
            }
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(PAIRS)
    void aResetHarmsNobodyElse(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            holdBack(relay);
            publishers.get(0).reset();
            publishers.get(2).reset();
            subscriber.resume();
            relay.awaitPublishers(PUBLISHERS - 2);
            for (int p = 1; p < PUBLISHERS; p += 2) {
                publishers.get(p).send(streams.get(p).next(1_000));
                int sent = streams.get(p).count();
                int whose = p;
                Await.until(
                        () -> "the others' messages: " + relay.stats(),
                        () -> subscriber.received().countOf(whose) == sent);
            }
            int[] got = IntStream.range(0, PUBLISHERS)
                    .map(subscriber.received()::countOf)
                    .toArray();
            subscriber.received().assertAllOf(got);
        }
    }
}

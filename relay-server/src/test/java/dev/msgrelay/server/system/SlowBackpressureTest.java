package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.RelayStats;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policy backpressure: publishers wait for who does not read, and nothing is lost; but not for ever. */
class SlowBackpressureTest {
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
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
            awaitStandstill(relay);
            assertThat(relay.stats().get(Counter.LARGEST_LAG_BYTES)).isLessThanOrEqualTo(TestRelay.SMALL_LOG);

            RelayStats standing = relay.stats();
            Await.until(
                    () -> "the hold that lasts is counted on: " + standing + ", now " + relay.stats(),
                    () -> relay.stats().get(Counter.HELD_BACK_MILLIS) > standing.get(Counter.HELD_BACK_MILLIS)
                            && relay.stats().get(Counter.BACKPRESSURE_MILLIS)
                                    > standing.get(Counter.BACKPRESSURE_MILLIS));

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

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void oneThatStandsStillForTheStallTimeoutIsCutOff(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.ringSize(TestRelay.SMALL_RING)
                        .logSize(TestRelay.SMALL_LOG)
                        .maxBody(TestRelay.SMALL_MAX_BODY)
                        .slowSubscriber(Policy.BACKPRESSURE)
                        .stallTimeout(Duration.ofSeconds(2)));
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
        try (TestRelay relay = TestRelay.small(Setting.NIO_TCP, Policy.BACKPRESSURE);
                PlainSubscriber stopped = relay.pausedSubscriber()) {
            WindowGate gate = Sessions.gate(Sessions.get(relay.relay(), "engine"));
            Thread floods = new Thread(() -> catchThrowable(() -> publish(relay, new Stream(0, 900))));
            floods.start();
            Await.until(() -> "a publisher is held back: " + relay.stats(), gate::blockedByReaders);
            assertThat(Await.staysTrue(500, gate::blockedByReaders)).isTrue();
            Identity reads = new Identity(
                    "reads",
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(Network.parse("127.0.0.0/8")),
                    null,
                    TypeRanges.ALL,
                    Identity.UNLIMITED,
                    Identity.UNLIMITED,
                    Identity.UNLIMITED,
                    Identity.UNLIMITED);
            relay.relay()
                    .reload(RelayConfig.builder()
                            .access(new AccessPolicy(List.of(reads)))
                            .build());
            relay.awaitClosed(CloseReason.REVOKED, 1);
            Await.until("nobody is held back any more", () -> !gate.blockedByReaders());
            Await.join(floods);
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

    /** Publishers are blocked, everyone else has what there is: the stream does not grow any more. */
    private static void awaitStandstill(TestRelay relay) {
        Await.until(() -> "the stream stands still: " + relay.stats(), () -> {
            long in = relay.stats().get(Counter.BYTES_IN);
            return Await.staysTrue(100, () -> relay.stats().get(Counter.BYTES_IN) == in);
        });
    }
}

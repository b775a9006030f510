package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.RelayStats;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.time.Duration;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policy backpressure: publishers wait for who does not read, and nothing is lost; but not for ever. */
class SlowBackpressureTest {
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#all")
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
            assertThat(standing.get(Counter.HELD_BACK_MILLIS)).isPositive();
            assertThat(standing.get(Counter.BACKPRESSURE_MILLIS)).isPositive();
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
    @MethodSource("dev.msgrelay.server.harness.Setting#all")
    void oneThatStandsStillForTheStallTimeoutIsCutOff(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.ringSize(TestRelay.SMALL_RING)
                        .logSize(TestRelay.SMALL_LOG)
                        .maxBody(TestRelay.SMALL_MAX_BODY)
                        .slowSubscriber(Policy.BACKPRESSURE)
                        .stallTimeout(Duration.ofSeconds(1)));
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

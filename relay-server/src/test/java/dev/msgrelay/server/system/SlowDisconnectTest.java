package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policy disconnect: who does not read is cut off and counted; nobody else notices, and no byte was wrong. */
class SlowDisconnectTest {
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
            slow.received().assertOrderOnly(1);
            assertThat(slow.received().types()).isSorted();
            assertThat(slow.received().count()).isLessThan(stream.count());
            slow.received().assertAllOf(slow.received().count());
            assertThat(good.end()).isNull();
        }
    }
}

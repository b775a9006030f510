package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import java.util.Random;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Policy skip: who stops reading gets whole frames only, in order, not one wrong byte, and what is counted as skipped is
 * exactly what is missing.
 */
class SlowSkipTest {
    private static final int PAUSES = 3;

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void smallMessages(Setting setting) throws Exception {
        skipping(setting, 700);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void messagesLargerThanAPacketAndAWrite(Setting setting) throws Exception {
        skipping(setting, TestRelay.SMALL_MAX_BODY);
    }

    private static void skipping(Setting setting, int maxBody) throws Exception {
        Random random = Seeds.random("SlowSkipTest " + setting + ", bodies up to " + maxBody);
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
            int[] types = slow.received().types();
            assertThat(types[types.length - 1]).isEqualTo(stream.count() - 1);
            assertThat(relay.stats().closes()).isEmpty();
            long sent = good.received().count() + slow.received().count();
            Await.until(
                    () -> sent + " messages out: " + relay.stats(),
                    () -> relay.stats().get(Counter.MESSAGES_OUT) == sent);
            slow.resume();
        }
    }
}

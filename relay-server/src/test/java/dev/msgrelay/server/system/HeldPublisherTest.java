package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of publishers that end while the relay does not read them, because a subscriber holds everything up. */
class HeldPublisherTest {
    private static final int PUBLISHERS = 4;

    private final List<PlainPublisher> connections = new ArrayList<>();

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void aHalfCloseLosesNothing(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int[] sent = holdBack(relay);
            for (PlainPublisher publisher : connections) {
                publisher.halfClose();
            }
            subscriber.resume();
            int all = java.util.Arrays.stream(sent).sum();
            subscriber.awaitMessages(all).received().assertAllOf(sent);
            relay.awaitClosed(CloseReason.PEER_CLOSED, PUBLISHERS);
            assertThat(relay.stats().closes()).hasSize(1);
            for (PlainPublisher publisher : connections) {
                publisher.awaitEnd();
                publisher.close();
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void aCloseLosesNothing(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int[] sent = holdBack(relay);
            for (PlainPublisher publisher : connections) {
                publisher.close();
            }
            subscriber.resume();
            int all = java.util.Arrays.stream(sent).sum();
            subscriber.awaitMessages(all).received().assertAllOf(sent);
            relay.awaitClosed(CloseReason.PEER_CLOSED, PUBLISHERS);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void aResetHarmsNobodyElse(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            int[] sent = holdBack(relay);
            connections.get(0).reset();
            connections.get(2).reset();
            subscriber.resume();
            relay.awaitPublishers(PUBLISHERS - 2);
            for (int p = 1; p < PUBLISHERS; p += 2) {
                connections.get(p).send(new Frames().frame(Frames.type(p, sent[p]++), 10));
            }
            Await.until(
                    () -> "the others' messages: " + relay.stats(),
                    () -> last(subscriber, 1) == sent[1] - 1 && last(subscriber, 3) == sent[3] - 1);
            subscriber.received().assertOrderOnly(PUBLISHERS);
            // Of those that were reset a part may be missing, but only at the end.
            int[] got = new int[PUBLISHERS];
            for (int type : subscriber.received().types()) {
                got[type / Frames.NUMBERS]++;
            }
            subscriber.received().assertAllOf(got);
            assertThat(got[1]).isEqualTo(sent[1]);
            assertThat(got[3]).isEqualTo(sent[3]);
            for (PlainPublisher publisher : connections) {
                publisher.close();
            }
        }
    }

    /** Fills the log, the ring, and the buffers of sockets a little; answers how many messages each has sent. */
    private int[] holdBack(TestRelay relay) throws Exception {
        List<Stream> streams = new ArrayList<>();
        for (int p = 0; p < PUBLISHERS; p++) {
            connections.add(relay.publisher());
            streams.add(new Stream(p, 2000));
        }
        for (long held = 0; held == 0; held = relay.stats().get(Counter.HELD_BACK)) {
            for (int p = 0; p < PUBLISHERS; p++) {
                connections.get(p).send(streams.get(p).next(20_000));
            }
            // In step with the relay: a publisher's own send must not block.
            int sent = streams.stream().mapToInt(Stream::count).sum();
            Await.until(
                    "taken in or held back",
                    () -> relay.stats().get(Counter.MESSAGES_IN) == sent
                            || relay.stats().get(Counter.HELD_BACK) > 0);
        }
        // What fits into a socket's buffers: nobody is blocked, and everyone has something that was not read.
        for (int p = 0; p < PUBLISHERS; p++) {
            connections.get(p).send(streams.get(p).next(60_000));
        }
        return streams.stream().mapToInt(Stream::count).toArray();
    }

    private static int last(PlainSubscriber subscriber, int publisher) {
        int[] types = subscriber.received().types();
        for (int i = types.length - 1; i >= 0; i--) {
            if (types[i] / Frames.NUMBERS == publisher) {
                return types[i] % Frames.NUMBERS;
            }
        }
        return -1;
    }
}

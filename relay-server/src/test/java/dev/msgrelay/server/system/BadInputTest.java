package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A publisher that breaks the protocol is told why, counted and cut off. What it sent before is relayed, of the broken
 * frame nothing is, and no other connection notices.
 */
class BadInputTest {
    private static final int MAX_BODY = 10_000;

    private record BadInput(CloseReason reason, Frames bytes, String... words) {
        @Override
        public String toString() {
            return reason + " " + bytes.size();
        }
    }

    static List<Arguments> faultsEverywhere() {
        List<BadInput> faults = List.of(
                new BadInput(CloseReason.NEGATIVE_LENGTH, new Frames().header(7, -5), "-5", "type 7"),
                new BadInput(CloseReason.NEGATIVE_LENGTH, new Frames().header(7, Integer.MIN_VALUE), "-2147483648"),
                new BadInput(CloseReason.OVERSIZED_LENGTH, new Frames().header(7, MAX_BODY + 1), "10001", "10000"),
                new BadInput(CloseReason.OVERSIZED_LENGTH, new Frames().header(7, Integer.MAX_VALUE), "2147483647"),
                new BadInput(
                        CloseReason.RESERVED_TYPE,
                        new Frames().frame(0x80000009, 3),
                        "0x80000009",
                        "0x80000000",
                        "0x800000FF"));
        List<Arguments> all = new ArrayList<>();
        Setting.sockets().forEach(s -> faults.forEach(f -> all.add(Arguments.of(s, f))));
        return all;
    }

    @ParameterizedTest
    @MethodSource("faultsEverywhere")
    void isToldCountedAndCutOff(Setting setting, BadInput fault) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.maxBody(MAX_BODY));
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher good = relay.publisher();
                PlainPublisher bad = relay.publisher()) {
            good.send(new Frames().frame(Frames.type(0, 0), 100));
            subscriber.awaitMessages(1);
            // Two good frames, the bad one, and one that nobody will ever see.
            bad.send(new Frames()
                    .frame(Frames.type(1, 0), 50)
                    .frame(Frames.type(1, 1), 5000)
                    .raw(fault.bytes().bytes())
                    .frame(Frames.type(1, 2), 50));
            PlainPublisher.Error error = bad.awaitError();
            assertThat(error.type()).isEqualTo(0x80000009);
            assertThat(error.code()).isEqualTo(fault.reason().code());
            assertThat(error.text()).contains(fault.words());
            assertThat(relay.closed(fault.reason())).isEqualTo(1);
            relay.awaitPublishers(1);

            good.send(new Frames().frame(Frames.type(0, 1), 100));
            subscriber.awaitMessages(4).received().assertAllOf(2, 2);
            assertThat(subscriber.end()).isNull();
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void whoGoesOnSendingStillGetsTheError(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.maxBody(MAX_BODY));
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher bad = relay.publisher()) {
            bad.send(new Frames().frame(Frames.type(0, 0), 50).header(7, -1));
            relay.awaitClosed(CloseReason.NEGATIVE_LENGTH, 1);
            // To be refused now, by a reset, would throw; and a reset may overtake the error.
            for (int i = 0; i < 50; i++) {
                bad.send(new Frames().frame(Frames.type(0, i + 1), 1000));
            }
            assertThat(bad.awaitError().code()).isEqualTo(CloseReason.NEGATIVE_LENGTH.code());
            subscriber.awaitMessages(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aConnectionThatDiesWithinAFrame(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber()) {
            int number = 0;
            int cuts = 0;
            // Within the header, within a small body, within a body that is read into on its own.
            for (int cut : new int[] {1, 4, 7, 8, 9, 100, 70_000, 300_000}) {
                try (PlainPublisher dying = relay.publisher()) {
                    dying.send(new Frames().frame(Frames.type(0, number++), 20));
                    byte[] frame =
                            new Frames().frame(Frames.type(1, 0), 400_000).bytes();
                    dying.send(java.nio.ByteBuffer.wrap(frame, 0, cut));
                    relay.awaitMessagesIn(number);
                }
                relay.awaitClosed(CloseReason.TRUNCATED_FRAME, ++cuts);
            }
            subscriber.awaitMessages(number).received().assertAllOf(number);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(number);
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aResetWithinAFrame(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber()) {
            PlainPublisher dying = relay.publisher();
            dying.send(new Frames().frame(Frames.type(0, 0), 20).header(Frames.type(0, 1), 500));
            relay.awaitMessagesIn(1);
            dying.reset();
            relay.awaitPublishers(0);
            assertThat(relay.closed(CloseReason.CONNECTION_LOST)).isEqualTo(1);
            subscriber.awaitMessages(1).received().assertAllOf(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aSubscriberThatSendsBytes(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber good = relay.subscriber();
                PlainSubscriber talking = relay.subscriber();
                PlainPublisher publisher = relay.publisher()) {
            publisher.send(new Frames().frame(Frames.type(0, 0), 20));
            talking.awaitMessages(1);
            talking.send(new byte[] {'G', 'E', 'T', ' '});
            relay.awaitClosed(CloseReason.UNEXPECTED_INPUT, 1);
            talking.awaitEnd();
            publisher.send(new Frames().frame(Frames.type(0, 1), 20));
            good.awaitMessages(2).received().assertAllOf(2);
            assertThat(good.end()).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void anOrderlyEndIsNoFault(Setting setting) throws IOException {
        try (TestRelay relay = TestRelay.start(setting)) {
            PlainSubscriber subscriber = relay.subscriber();
            try (PlainPublisher publisher = relay.publisher()) {
                publisher.send(new Frames().frame(Frames.type(0, 0), 20));
                subscriber.awaitMessages(1);
            }
            subscriber.close();
            relay.awaitClosed(CloseReason.PEER_CLOSED, 2);
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }
}

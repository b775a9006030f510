package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Vectors;
import dev.msgrelay.testing.ConcurrentTest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** HELLO on the publish port, good and bad in every way: WELCOME, or one precise ERROR and a counted close. */
class HandshakeTest {
    private static final String SOCKETS = "dev.msgrelay.server.harness.Setting#sockets";

    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void welcomeSaysWhatHolds(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(
                        setting, b -> b.set(RelayOption.MAX_BODY, 12_345).set(IDLE_TIMEOUT, Duration.ofSeconds(15)));
                PlainPublisher plain = relay.publisher()) {
            plain.send(new Frames().frame(1, 1).frame(2, 1).frame(3, 1));
            relay.awaitMessagesIn(3);
            Control first = welcome(relay, Hello.acks("orders", 0));
            assertThat(first.version()).isEqualTo(1);
            assertThat(first.policy()).isZero();
            assertThat(first.flags()).isZero();
            assertThat(first.features()).isEqualTo(1);
            assertThat(first.epoch()).isNotZero();
            assertThat(first.next()).isEqualTo(4);
            assertThat(first.accepted()).isZero();
            assertThat(first.maxBody()).isEqualTo(12_345);
            assertThat(first.heartbeatMillis()).isEqualTo(5000);
            assertThat(first.idleMillis()).isEqualTo(15_000);
            assertThat(first.server()).startsWith("relay");

            // Without ACKS there are none; what may be declined is; another epoch is told.
            Control other = welcome(
                    relay, Hello.plain().heartbeat(250).epoch(first.epoch() + 1).features(0x8002));
            assertThat(other.features()).isZero();
            assertThat(other.heartbeatMillis()).isEqualTo(250);
            assertThat(other.idleMillis()).isEqualTo(15_000);
            assertThat(other.epoch()).isEqualTo(first.epoch());
            assertThat(other.flags()).isEqualTo(1);
            assertThat(welcome(relay, Hello.plain().epoch(first.epoch())).flags())
                    .isZero();
        }
    }

    private static Control welcome(TestRelay relay, Hello hello) throws Exception {
        try (TalkingPublisher publisher = TalkingPublisher.connect(relay, hello)) {
            Control welcome = publisher.next();
            assertThat(welcome.type()).isEqualTo(Hello.WELCOME);
            return welcome;
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void everyGoodHelloIsAnsweredAndEveryBadOneToldWhy(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher neighbour = relay.publisher()) {
            int sent = 0;
            for (Vectors hello : Vectors.named(n -> n.contains("-hello-"))) {
                // HELLO of a subscriber, of other versions, and those that are malformed.
                int expected = hello.code() != 0
                        ? hello.code()
                        : switch (hello.name()) {
                            case "good-hello-limits" -> CloseReason.UNSUPPORTED.code();
                            default -> hello.bytes()[12] == 2 ? 0 : CloseReason.WRONG_ROLE.code();
                        };
                try (TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
                    CloseReason reason = CloseReason.ofCode(expected);
                    long before = reason == null ? 0 : relay.closed(reason);
                    publisher.send(hello.bytes());
                    Control answer = publisher.next();
                    assertThat(answer).as(hello.name()).isNotNull();
                    if (expected == 0) {
                        assertThat(answer.type()).as(hello.name()).isEqualTo(Hello.WELCOME);
                    } else {
                        assertThat(answer.type()).as(hello.name()).isEqualTo(Hello.ERROR);
                        assertThat(answer.code())
                                .as(hello.name() + ": " + answer.text())
                                .isEqualTo(expected);
                        // The versions are looked at before the rest: what is missing is counted from there.
                        String text = hello.text().replaceAll("its fields of \\d+$", "its fields of");
                        assertThat(answer.text()).as(hello.name()).isNotEmpty().contains(text);
                        assertThat(publisher.next()).as("nothing behind ERROR").isNull();
                        assertThat(relay.closed(reason)).as(hello.name()).isEqualTo(before + 1);
                    }
                }
                neighbour.send(new Frames().frame(Frames.type(0, sent++), 10));
            }
            subscriber.awaitMessages(sent).received().assertAllOf(sent);
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void everyOtherFrameBehindHello(Setting setting) throws Exception {
        int unsupported = CloseReason.UNSUPPORTED.code();
        Frames thousandHellos = new Frames();
        for (int i = 0; i < 1000; i++) {
            thousandHellos.raw(Hello.acks("orders", 1).bytes());
        }
        try (TestRelay relay = TestRelay.start(setting)) {
            for (Vectors frame : Vectors.named(n -> !n.contains("-hello-"))) {
                int expected =
                        switch (frame.type() & 0xFF) {
                            case 4, 5, 9 -> frame.code();
                            case 3 -> CloseReason.WRONG_ROLE.code();
                            default -> CloseReason.PROTOCOL_ORDER.code();
                        };
                assertBehindHello(relay, frame.name(), new Frames().raw(frame.bytes()), expected);
            }
            assertBehindHello(relay, "unknown", new Frames().frame(0x8000000D, 3), 0);
            assertBehindHello(relay, "unknown, longest", new Frames().frame(0x80000000, 16_384), 0);
            assertBehindHello(relay, "must be understood", new Frames().frame(0x80000080, 3), unsupported);
            assertBehindHello(relay, "must be understood", new Frames().frame(0x800000FF, 0), unsupported);
            assertBehindHello(relay, "again", thousandHellos, CloseReason.PROTOCOL_ORDER.code());
            Frames tooLong = new Frames().header(0x8000000D, 16_385);
            assertBehindHello(relay, "long", tooLong, CloseReason.OVERSIZED_LENGTH.code());
            Frames negative = new Frames().header(Hello.PING, -1);
            assertBehindHello(relay, "negative", negative, CloseReason.NEGATIVE_LENGTH.code());
        }
    }

    private static void assertBehindHello(TestRelay relay, String what, Frames frames, int expected) throws Exception {
        // No PING of the relay comes in between.
        Hello hello = Hello.plain().heartbeat(60_000);
        try (TalkingPublisher publisher = TalkingPublisher.connect(relay, hello)) {
            assertThat(publisher.next().type()).isEqualTo(Hello.WELCOME);
            CloseReason reason = expected == 0 ? CloseReason.PEER_CLOSED : CloseReason.ofCode(expected);
            boolean error = frames.buffer().getInt() == Hello.ERROR && expected == 0;
            long before = relay.closed(reason);
            publisher.send(frames);
            if (error) {
                // The publisher itself has ended the connection.
                assertThat(publisher.next()).as(what).isNull();
                relay.awaitClosed(reason, before + 1);
            } else if (expected == 0) {
                publisher.send(Hello.ping(42));
                Control answer = publisher.next();
                assertThat(answer.type()).as(what).isIn(Hello.PONG);
            } else {
                Control answer = publisher.await(Hello.ERROR);
                assertThat(answer.code()).as(what + ": " + answer.text()).isEqualTo(expected);
                assertThat(publisher.next()).as("nothing behind ERROR").isNull();
                assertThat(relay.closed(reason)).as(what).isEqualTo(before + 1);
            }
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void whatMayNotComeBeforeHello(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting)) {
            long reserved = 0;
            for (Vectors frame : Vectors.named(n -> n.startsWith("good-") && !n.contains("-hello-"))) {
                try (TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
                    publisher.send(frame.bytes());
                    assertThat(publisher.awaitError().code())
                            .as(frame.name())
                            .isEqualTo(CloseReason.RESERVED_TYPE.code());
                }
                assertThat(relay.closed(CloseReason.RESERVED_TYPE)).isEqualTo(++reserved);
            }
            // A plain publisher stays one.
            try (TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
                publisher.send(new Frames().frame(1, 1).raw(Hello.plain().bytes()));
                assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.PROTOCOL_ORDER.code());
            }
            assertThat(relay.closed(CloseReason.PROTOCOL_ORDER)).isEqualTo(1);
            relay.awaitMessagesIn(1);
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource(SOCKETS)
    void aConnectionThatEndsWithinHello(Setting setting) throws Exception {
        byte[] hello = Hello.acks("orders", 1).bytes();
        try (TestRelay relay = TestRelay.start(setting)) {
            for (int cut = 1; cut < hello.length; cut++) {
                try (TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
                    publisher.send(Arrays.copyOf(hello, cut)).halfClose();
                    assertThat(publisher.next()).as("cut at " + cut).isNull();
                }
                relay.awaitClosed(CloseReason.TRUNCATED_FRAME, cut);
            }
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }

    // ---- messages ------------------------------------------------------------------------------------------------

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
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(RelayOption.MAX_BODY, MAX_BODY));
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
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(RelayOption.MAX_BODY, MAX_BODY));
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
                    dying.send(ByteBuffer.wrap(frame, 0, cut));
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
}

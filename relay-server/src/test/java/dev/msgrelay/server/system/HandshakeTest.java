package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Vectors;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** HELLO on the publish port, good and bad in every way: WELCOME, or one precise ERROR and a counted close. */
class HandshakeTest {
    private static final String SOCKETS = "dev.msgrelay.server.harness.Setting#sockets";

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void welcomeSaysWhatHolds(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.maxBody(12_345).idleTimeout(Duration.ofSeconds(15)));
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

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
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
                assertAnswer(relay, hello, hello.bytes(), expected);
                neighbour.send(new Frames().frame(Frames.type(0, sent++), 10));
            }
            subscriber.awaitMessages(sent).received().assertAllOf(sent);
        }
    }

    /** Sends bytes behind nothing, and a message behind them, which is taken if they are good. */
    private static void assertAnswer(TestRelay relay, Vectors vector, byte[] bytes, int expected) throws Exception {
        try (TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
            CloseReason reason = CloseReason.ofCode(expected);
            long before = reason == null ? 0 : relay.closed(reason);
            publisher.send(bytes);
            Control answer = publisher.next();
            assertThat(answer).as(vector.name()).isNotNull();
            if (expected == 0) {
                assertThat(answer.type()).as(vector.name()).isEqualTo(Hello.WELCOME);
            } else {
                assertThat(answer.type()).as(vector.name()).isEqualTo(Hello.ERROR);
                assertThat(answer.code())
                        .as(vector.name() + ": " + answer.text())
                        .isEqualTo(expected);
                assertThat(answer.text()).as(vector.name()).isNotEmpty();
                assertThat(publisher.next()).as("nothing behind ERROR").isNull();
                assertThat(relay.closed(reason)).as(vector.name()).isEqualTo(before + 1);
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void everyOtherFrameBehindHello(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting)) {
            for (Vectors frame : Vectors.named(n -> !n.contains("-hello-"))) {
                int expected =
                        switch (frame.type() & 0xFF) {
                            case 4, 5, 9 -> frame.code();
                            case 3 -> CloseReason.WRONG_ROLE.code();
                            default -> CloseReason.PROTOCOL_ORDER.code();
                        };
                assertBehindHello(relay, frame.name(), frame.bytes(), expected);
            }
            assertBehindHello(
                    relay, "unknown", new Frames().frame(0x8000000C, 3).bytes(), 0);
            assertBehindHello(
                    relay,
                    "unknown, longest",
                    new Frames().frame(0x80000000, 16_384).bytes(),
                    0);
            assertBehindHello(
                    relay,
                    "must be understood",
                    new Frames().frame(0x80000080, 3).bytes(),
                    CloseReason.UNSUPPORTED.code());
            assertBehindHello(
                    relay,
                    "must be understood",
                    new Frames().frame(0x800000FF, 0).bytes(),
                    CloseReason.UNSUPPORTED.code());
            assertBehindHello(relay, "again", Hello.plain().bytes(), CloseReason.PROTOCOL_ORDER.code());
            assertBehindHello(
                    relay,
                    "long",
                    new Frames().header(0x8000000C, 16_385).bytes(),
                    CloseReason.OVERSIZED_LENGTH.code());
            assertBehindHello(
                    relay, "negative", new Frames().header(Hello.PING, -1).bytes(), CloseReason.NEGATIVE_LENGTH.code());
        }
    }

    private static void assertBehindHello(TestRelay relay, String what, byte[] bytes, int expected) throws Exception {
        try (TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.plain())) {
            assertThat(publisher.next().type()).isEqualTo(Hello.WELCOME);
            CloseReason reason = expected == 0 ? CloseReason.PEER_CLOSED : CloseReason.ofCode(expected);
            boolean error = ByteBuffer.wrap(bytes).getInt() == Hello.ERROR && expected == 0;
            long before = relay.closed(reason);
            publisher.send(bytes);
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

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
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

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
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

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aHelloThatStopsHalfWayIsGivenUp(Setting setting) throws Exception {
        byte[] hello = Hello.acks("orders", 1).bytes();
        try (TestRelay relay = TestRelay.start(setting, b -> b.handshakeTimeout(Duration.ofMillis(150)));
                PlainPublisher plain = relay.publisher()) {
            plain.send(new Frames().header(7, 100));
            List<TalkingPublisher> slow = new ArrayList<>();
            for (int cut = 3; cut < hello.length; cut++) {
                slow.add(TalkingPublisher.connect(relay.publish()).send(Arrays.copyOf(hello, cut)));
            }
            for (TalkingPublisher publisher : slow) {
                assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.HANDSHAKE_TIMEOUT.code());
                publisher.close();
            }
            assertThat(relay.closed(CloseReason.HANDSHAKE_TIMEOUT)).isEqualTo(slow.size());
            plain.send(new Frames().raw(new byte[100]));
            relay.awaitMessagesIn(1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aThousandHellos(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
            Frames all = new Frames();
            for (int i = 0; i < 1000; i++) {
                all.raw(Hello.acks("orders", 1).bytes());
            }
            publisher.send(all);
            assertThat(publisher.next().type()).isEqualTo(Hello.WELCOME);
            assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.PROTOCOL_ORDER.code());
            assertThat(relay.closed(CloseReason.PROTOCOL_ORDER)).isEqualTo(1);
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aNameOfTenMegabytes(Setting setting) throws Exception {
        byte[] header = Vectors.one("bad-hello-ten-megabytes").bytes();
        try (TestRelay relay = TestRelay.start(setting);
                TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
            publisher.send(Arrays.copyOf(header, 8));
            // Nothing of the name needs to come for it to be refused.
            Control error = publisher.next();
            assertThat(error.code()).isEqualTo(CloseReason.OVERSIZED_LENGTH.code());
            assertThat(error.text()).contains("10000000", "16384", "HELLO");
            assertThat(relay.closed(CloseReason.OVERSIZED_LENGTH)).isEqualTo(1);
        }
    }
}

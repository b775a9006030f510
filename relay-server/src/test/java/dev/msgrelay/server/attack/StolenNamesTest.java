package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A stranger under another publisher's name, and numbers at their end: nobody's messages are taken for another's. */
class StolenNamesTest {
    private static final String SOCKETS = "dev.msgrelay.server.harness.Setting#sockets";
    private static final int OWNER = HealthyPair.FIRST_OTHER;
    private static final int STRANGER = HealthyPair.FIRST_OTHER + 1;

    private static Hello owner(long number) {
        return Hello.acks("orders", number).producer(0x1111, 0x2222);
    }

    private static Hello stranger(long number) {
        return Hello.acks("orders", number).producer(0x1111, 0x2223);
    }

    private static Frames message(int publisher, int number) {
        return new Frames().frame(Frames.type(publisher, number), 20);
    }

    /** While the owner is there, and for a while after it has gone, the stranger is refused, and the owner goes on. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource(SOCKETS)
    void aStrangerIsRefused(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                HealthyPair pair = new HealthyPair(relay.publish(), relay.subscribe())) {
            pair.begin();
            try (TalkingPublisher owner = TalkingPublisher.connect(relay, owner(1))) {
                owner.await(Hello.WELCOME);
                assertThat(owner.send(message(OWNER, 0)).awaitAck(1).first()).isEqualTo(1);
                assertRefused(relay, stranger(1));
                assertRefused(relay, stranger(0));
                // An old client without an id is another stranger.
                assertRefused(relay, Hello.acks("orders", 2));
                assertThat(owner.send(message(OWNER, 1)).awaitAck(2).first()).isEqualTo(2);
            }
            relay.awaitPublishers(2);
            assertRefused(relay, stranger(0));
            try (TalkingPublisher again = TalkingPublisher.connect(relay, owner(0))) {
                assertThat(again.await(Hello.WELCOME).accepted()).isEqualTo(2);
                again.send(message(OWNER, 2)).awaitAck(3);
            }
            Await.until("the owner's messages", () -> pair.received().countOf(OWNER) == 3);
            pair.end("a stranger under a name that is held");
            pair.finish();
            assertThat(pair.received().countOf(STRANGER)).isZero();
            assertThat(relay.closed(CloseReason.NAME_HELD)).isEqualTo(4);
            assertThat(relay.closed(CloseReason.NAME_TAKEN)).isZero();
        }
    }

    /** Afterwards the name is the stranger's, from the beginning: nothing of it is dropped or acknowledged by mistake. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource(SOCKETS)
    void aNameThatIsNotHeldBeginsAnew(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.nameHold(Duration.ofMillis(100)));
                HealthyPair pair = new HealthyPair(relay.publish(), relay.subscribe())) {
            pair.begin();
            try (TalkingPublisher owner = TalkingPublisher.connect(relay, owner(1))) {
                owner.await(Hello.WELCOME);
                owner.send(message(OWNER, 0)).send(message(OWNER, 1)).awaitAck(2);
            }
            Await.until("the name is free", () -> welcomed(relay, stranger(1)));
            try (TalkingPublisher stranger = TalkingPublisher.connect(relay, stranger(1))) {
                assertThat(stranger.await(Hello.WELCOME).accepted()).isZero();
                stranger.send(message(STRANGER, 0));
                assertThat(stranger.awaitAck(1).first()).isEqualTo(1);
                // The former owner is the stranger now.
                assertRefused(relay, owner(3));
                stranger.send(message(STRANGER, 1)).awaitAck(2);
            }
            Await.until("each message, once", () -> pair.received().countOf(STRANGER) == 2);
            pair.end("a stranger under a name that is free");
            pair.finish();
            assertThat(pair.received().countOf(OWNER)).isEqualTo(2);
            assertThat(relay.stats().get(Counter.DUPLICATES)).isZero();
        }
    }

    /** Numbers end with 2^63 - 1: there is no message behind it, none below it is taken twice, and the relay goes on. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource(SOCKETS)
    void numbersAtTheirEnd(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                HealthyPair pair = new HealthyPair(relay.publish(), relay.subscribe())) {
            pair.begin();
            try (TalkingPublisher last = TalkingPublisher.connect(relay, owner(Long.MAX_VALUE))) {
                last.await(Hello.WELCOME);
                last.send(message(OWNER, 0));
                assertThat(last.awaitAck(Long.MAX_VALUE).first()).isEqualTo(Long.MAX_VALUE);
                last.send(message(OWNER, 1));
                assertThat(last.awaitError().code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
            }
            relay.awaitPublishers(2);
            try (TalkingPublisher again = TalkingPublisher.connect(relay, owner(Long.MAX_VALUE))) {
                assertThat(again.await(Hello.WELCOME).accepted()).isEqualTo(Long.MAX_VALUE);
                again.send(message(OWNER, 0)).send(message(OWNER, 1));
                assertThat(again.awaitError().code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
            }
            try (TalkingPublisher negative =
                    TalkingPublisher.connect(relay, Hello.acks("negative", -1).producer(1, 1))) {
                assertThat(negative.awaitError().code()).isEqualTo(CloseReason.MALFORMED_CONTROL.code());
            }
            pair.end("numbers at their end");
            pair.finish();
            assertThat(pair.received().countOf(OWNER)).isEqualTo(1);
            assertThat(relay.stats().get(Counter.DUPLICATES)).isEqualTo(1);
            AttackRelay.assertNoFault(relay);
        }
    }

    /** An old client, which sends no id: a line says what it risks, once for each name and not for each connection. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void whoSendsNoIdIsWarnedOfOncePerName() throws Exception {
        try (RelayProcess relay = RelayProcess.start(":", "--quiet")) {
            int number = 0;
            for (String name : List.of("orders", "prices", "orders", "orders", "last")) {
                try (TalkingPublisher old = TalkingPublisher.connect(relay.publish())
                        .send(Hello.acks(name, 0).bytes())) {
                    old.await(Hello.WELCOME);
                    old.send(message(OWNER, number++)).await(Hello.ACK);
                }
            }
            Await.until(relay::said, () -> relay.said().contains("(last)"));
            List<String> lines = relay.said()
                    .lines()
                    .filter(line -> line.contains("sends no producer id"))
                    .toList();
            assertThat(lines).hasSize(3).allMatch(line -> line.contains(" WARN "));
            for (String name : List.of("orders", "prices", "last")) {
                assertThat(lines)
                        .filteredOn(line -> line.contains(
                                "(" + name + ") sends no producer id: whoever says the same name is taken for it"))
                        .hasSize(1);
            }
        }
    }

    private static void assertRefused(TestRelay relay, Hello hello) throws IOException {
        try (TalkingPublisher refused = TalkingPublisher.connect(relay, hello)) {
            // Messages right behind HELLO are nobody's.
            refused.send(message(STRANGER, 0));
            Control answer = refused.next();
            assertThat(answer.type()).as("the answer to HELLO").isEqualTo(Hello.ERROR);
            assertThat(answer.code()).isEqualTo(CloseReason.NAME_HELD.code());
        }
    }

    private static boolean welcomed(TestRelay relay, Hello hello) {
        try (TalkingPublisher client = TalkingPublisher.connect(relay, hello)) {
            Control answer = client.next();
            return answer != null && answer.type() == Hello.WELCOME;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

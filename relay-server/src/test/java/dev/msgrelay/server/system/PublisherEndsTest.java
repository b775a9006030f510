package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Heartbeats over real sockets, and how a publisher that said HELLO is let go: silence, its own ERROR, draining. */
class PublisherEndsTest {
    private static final String SOCKETS = "dev.msgrelay.server.harness.Setting#sockets";

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aPongThatNeverComes(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(
                        setting, b -> b.heartbeat(Duration.ofMillis(100)).idleTimeout(Duration.ofSeconds(3)));
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher plain = relay.publisher();
                TalkingPublisher silent = TalkingPublisher.connect(relay, Hello.acks("silent", 0));
                TalkingPublisher lively = TalkingPublisher.connect(relay, Hello.plain())) {
            int pings = 0;
            Workers answers = new Workers().start("lively", () -> {
                Control frame = lively.next();
                while (frame != null && frame.type() != Hello.ERROR) {
                    if (frame.type() == Hello.PING) {
                        lively.send(Hello.pong(frame.first()));
                    }
                    frame = lively.next();
                }
                assertThat(frame).isNotNull();
                assertThat(frame.code()).isEqualTo(CloseReason.SHUTDOWN.code());
            });
            long lastId = 0;
            Control frame = silent.next();
            assertThat(frame.idleMillis()).isEqualTo(3000);
            for (frame = silent.next(); frame.type() == Hello.PING; frame = silent.next()) {
                assertThat(frame.first()).isGreaterThan(lastId);
                lastId = frame.first();
                pings++;
            }
            assertThat(frame.type()).isEqualTo(Hello.ERROR);
            assertThat(frame.code()).isEqualTo(CloseReason.IDLE_TIMEOUT.code());
            assertThat(pings).isPositive();
            assertThat(relay.closed(CloseReason.IDLE_TIMEOUT)).isEqualTo(1);
            // One has answered, the other is not asked.
            lively.send(new Frames().frame(Frames.type(0, 0), 1));
            subscriber.awaitMessages(1);
            plain.send(new Frames().frame(Frames.type(0, 1), 1));
            subscriber.awaitMessages(2).received().assertAllOf(2);
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.IDLE_TIMEOUT);
            relay.relay().close();
            answers.join();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void aFloodOfPingsFromOneThatReadsNothing(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher neighbour = relay.publisher();
                TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("flood", 1))) {
            int floods = 100;
            for (int i = 0; i < floods; i++) {
                Frames flood = new Frames();
                for (int k = 1; k <= 500; k++) {
                    flood.raw(Hello.ping(i * 500L + k));
                }
                // Several MB altogether, more than sockets hold: the relay reads on all the same.
                publisher.send(flood.frame(Frames.type(0, i), 10));
                neighbour.send(new Frames().frame(Frames.type(1, i), 10));
            }
            subscriber.awaitMessages(2 * floods).received().assertAllOf(floods, floods);
            assertThat(publisher.awaitAck(floods).first()).isEqualTo(floods);
            assertThat(relay.stats().closes()).isEmpty();
            publisher.send(Hello.ping(-7));
            assertThat(publisher.await(Hello.PONG, pong -> pong.first() == -7)).isNotNull();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void whatItSaidBeforeItsOwnErrorIsRelayed(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 1))) {
            publisher.await(Hello.WELCOME);
            publisher.send(new Frames()
                    .frame(Frames.type(0, 0), 10)
                    .raw(Hello.error(11, "line 1\nline 2 \u001b[2J"))
                    .frame(Frames.type(0, 1), 10));
            relay.awaitClosed(CloseReason.PEER_CLOSED, 1);
            subscriber.awaitMessages(1).received().assertAllOf(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void drainingTellsAndAcknowledges(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            List<TalkingPublisher> publishers = new ArrayList<>();
            int each = 2000;
            for (int p = 0; p < 3; p++) {
                publishers.add(TalkingPublisher.connect(relay, Hello.acks("publisher-" + p, 1)));
                publishers.get(p).await(Hello.WELCOME);
            }
            // As much as the subscriber holds up, and more; a part of it is never read.
            Workers sending = new Workers();
            for (int p = 0; p < 3; p++) {
                int publisher = p;
                sending.start("sending-" + p, () -> send(publishers.get(publisher), publisher, each));
            }
            Await.until("held back", () -> relay.stats().get(Counter.HELD_BACK) > 0);
            Workers closing = new Workers().start("close", relay.relay()::close);
            long[] acked = new long[3];
            Workers reading = new Workers();
            for (int p = 0; p < 3; p++) {
                int publisher = p;
                reading.start("reading-" + p, () -> acked[publisher] = readToTheEnd(publishers.get(publisher)));
            }
            subscriber.resume();
            subscriber.awaitEnd();
            reading.join();
            closing.join();
            for (TalkingPublisher publisher : publishers) {
                publisher.close();
            }
            sending.join();
            // The last ACK of each is what went out: nothing acknowledged is missing, nothing else was taken.
            subscriber.received().assertAllOf((int) acked[0], (int) acked[1], (int) acked[2]);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(acked[0] + acked[1] + acked[2]);
            assertThat(relay.closed(CloseReason.SHUTDOWN)).isEqualTo(4);
        }
    }

    private static void send(TalkingPublisher publisher, int p, int each) {
        try {
            for (int number = 0; number < each; number += 10) {
                Frames frames = new Frames();
                for (int i = 0; i < 10; i++) {
                    frames.frame(Frames.type(p, number + i), 3000);
                }
                publisher.send(frames);
            }
        } catch (java.io.IOException closed) {
            // what the relay has not read it does not take
        }
    }

    /** GOAWAY, then ACKs, then ERROR; closes, and answers the last number acknowledged. */
    private static long readToTheEnd(TalkingPublisher publisher) throws Exception {
        long acked = 0;
        boolean told = false;
        for (Control frame = publisher.next(); ; frame = publisher.next()) {
            assertThat(frame).as("ERROR before the end").isNotNull();
            switch (frame.type()) {
                case Hello.ACK -> acked = frame.first();
                case Hello.GOAWAY -> {
                    assertThat(frame.code()).isEqualTo(CloseReason.SHUTDOWN.code());
                    assertThat(frame.closesInMillis()).isBetween(1, TestRelay.DRAIN_SECONDS * 1000);
                    told = true;
                }
                case Hello.ERROR -> {
                    assertThat(frame.code()).isEqualTo(CloseReason.SHUTDOWN.code());
                    assertThat(told).as("GOAWAY goes before").isTrue();
                    publisher.close();
                    return acked;
                }
                default -> {}
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource(SOCKETS)
    void closingIsBoundedWhateverThePublisherDoes(Setting setting) throws Exception {
        TestRelay relay = TestRelay.start(setting, b -> b.drainTimeout(Duration.ofDays(1)));
        try (TalkingPublisher deaf = TalkingPublisher.connect(relay, Hello.acks("deaf", 1));
                TalkingPublisher plain = TalkingPublisher.connect(relay.publish())) {
            deaf.await(Hello.WELCOME);
            plain.send(new Frames().frame(1, 1));
            relay.awaitMessagesIn(1);
            relay.close();
            assertThat(deaf.await(Hello.GOAWAY).closesInMillis())
                    .isEqualTo((int) Duration.ofDays(1).toMillis());
            assertThat(deaf.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
            // A plain one is told as ever, and nothing else.
            assertThat(plain.next().type()).isEqualTo(Hello.ERROR);
            assertThat(plain.next()).isNull();
        }
    }
}

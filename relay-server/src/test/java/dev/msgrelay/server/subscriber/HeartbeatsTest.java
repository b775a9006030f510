package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** PING and PONG, and who is given up: the silent ones, never the slow ones and never the plain ones. */
class HeartbeatsTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    /** Longer than this machine stands still, however busy it is: who answers is in time. */
    private static final Duration IDLE = SHORT.multipliedBy(20);

    /** So many heartbeats take longer than that. */
    private static final int PINGS = 22;

    /** Longer than reader, relay and publisher together stand still on a busy machine. */
    private static final Duration SLOW_IDLE = Duration.ofSeconds(6);

    private final Numbered messages = new Numbered(Seeds.random("HeartbeatsTest"), 5, 60, 700, 9000);

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void whoAnswersStaysAndIsToldWhereTheStreamStands(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(
                        setting, b -> b.heartbeat(SHORT).idleTimeout(IDLE).maxHeartbeat(Duration.ofHours(1)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = relay.speaker(messages);
                SpeakingSubscriber own = relay.speaker(messages);
                SpeakingSubscriber plain = relay.speaker(messages)) {
            relay.awaitSubscribers(3);
            publisher.publish(100);
            relay.awaitMessagesIn(100);
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            assertThat(own.hello(HelloFrame.subscriber().heartbeatMillis(3_600_000))
                            .awaitWelcome()
                            .heartbeatMillis())
                    .isEqualTo(3_600_000);
            // Longer than the idle timeout, so that what keeps it alive are its PONGs.
            for (int ping = 1; ping <= PINGS; ping++) {
                ByteBuffer body = subscriber.awaitSaid(ControlFrames.PING, ping).body();
                assertThat(PingFrame.id(body)).isEqualTo(ping);
                publisher.publish(3);
            }
            long end = 101 + 3 * PINGS;
            subscriber.awaitNext(end);
            int pings = subscriber.account().said(ControlFrames.PING).size();
            ByteBuffer last =
                    subscriber.awaitSaid(ControlFrames.PING, pings + 1).body();
            assertThat(PingFrame.next(last)).isEqualTo(end);
            assertThat(PingFrame.head(last)).isEqualTo(end - 1);
            subscriber.account().assertCompleteUpTo(end);
            assertThat(own.account().said(ControlFrames.PING)).isEmpty();
            assertThat(plain.account().said()).isEmpty();
            assertThat(List.of(subscriber, own, plain))
                    .allSatisfy(s -> assertThat(s.end()).isNull());
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    /** The interval that a client wants is the one that it gets. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void theIntervalThatIsWanted(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(
                        setting, b -> b.heartbeat(Duration.ofHours(1)).idleTimeout(Duration.ofHours(1)));
                SpeakingSubscriber often = relay.speaker(messages);
                SpeakingSubscriber never = relay.speaker(messages)) {
            never.hello(HelloFrame.subscriber()).awaitWelcome();
            WelcomeFrame welcome =
                    often.hello(HelloFrame.subscriber().heartbeatMillis(100)).awaitWelcome();
            assertThat(welcome.heartbeatMillis()).isEqualTo(100);
            assertThat(welcome.idleTimeoutMillis()).isEqualTo(3_600_000);
            often.awaitSaid(ControlFrames.PING, 2);
            assertThat(never.account().said(ControlFrames.PING)).isEmpty();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void whoIsSilentIsGivenUp(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(
                        setting, b -> b.heartbeat(SHORT).idleTimeout(IDLE).maxHeartbeat(Duration.ofHours(1)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber plain = relay.speaker(messages);
                SpeakingSubscriber silent = relay.speaker(messages);
                SpeakingSubscriber talking = relay.speaker(messages)) {
            relay.awaitSubscribers(3);
            silent.answers(false).hello(HelloFrame.subscriber()).awaitWelcome();
            // PINGs of its own are a sign of life as well.
            talking.answers(false).hello(HelloFrame.subscriber()).awaitWelcome();
            int id = 0;
            while (silent.end() == null) {
                // What it reads is none: a socket with room takes it for a client that is gone, too.
                publisher.publish(1);
                talking.ping(++id);
                ByteBuffer pong = talking.awaitSaid(ControlFrames.PONG, id).body();
                assertThat(pong.getLong()).isEqualTo(id);
                Await.staysTrue(20, () -> silent.end() == null);
            }
            PlainPublisher.Error error = silent.awaitError();
            assertThat(error.code()).isEqualTo(CloseReason.IDLE_TIMEOUT.code());
            assertThat(error.text()).contains(IDLE.toMillis() + " ms");
            assertThat(silent.account().said(ControlFrames.PING)).isNotEmpty();
            assertThat(relay.closed(CloseReason.IDLE_TIMEOUT)).isEqualTo(1);
            assertThat(relay.stats().closes()).hasSize(1);
            assertThat(plain.end()).isNull();
            assertThat(talking.end()).isNull();
        }
    }

    /**
     * It reads a little now and then, answers nothing, and is alive: its socket takes something every time.
     * Thorough, as it waits for seven seconds.
     */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void whoIsSlowIsNotGivenUp(Setting setting) throws Exception {
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.start(setting, b -> b.ringSize(TestRelay.SMALL_RING)
                        .logSize(TestRelay.SMALL_LOG)
                        .maxBody(TestRelay.SMALL_MAX_BODY)
                        .heartbeat(SHORT)
                        .idleTimeout(SLOW_IDLE)
                        .allowPolicies(Set.of(Policy.BACKPRESSURE)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                PlainPublisher slow = PlainPublisher.connect(relay.subscribe())) {
            slow.send(ByteBuffer.wrap(HelloFrame.subscriber()
                    .policy(Policy.BACKPRESSURE)
                    .build()
                    .encode()
                    .array()));
            relay.awaitSubscribers(1);
            publisher.publishOn(workers);
            // Longer than the idle timeout: it reads what makes room in its socket, and never says a word.
            long until = System.nanoTime() + SLOW_IDLE.plusSeconds(1).toNanos();
            while (System.nanoTime() - until < 0) {
                slow.readSome(1 << 20);
                Await.staysTrue(40, () -> relay.stats().closes().isEmpty());
                assertThat(relay.stats().closes()).isEmpty();
            }
            // It stops reading: now it is.
            relay.awaitClosed(CloseReason.IDLE_TIMEOUT, 1);
            publisher.stop();
            workers.join();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aHelloThatIsNeverFinished(Setting setting) throws Exception {
        byte[] hello =
                HelloFrame.subscriber().name("x".repeat(200)).build().encode().array();
        try (TestRelay relay = TestRelay.start(setting, b -> b.handshakeTimeout(Duration.ofMillis(250)));
                SpeakingSubscriber one = relay.speaker(messages);
                SpeakingSubscriber most = relay.speaker(messages);
                SpeakingSubscriber trickling = relay.speaker(messages);
                SpeakingSubscriber inTime = relay.speaker(messages);
                SpeakingSubscriber plain = relay.speaker(messages)) {
            relay.awaitSubscribers(5);
            one.send(ByteBuffer.wrap(hello, 0, 1));
            most.send(ByteBuffer.wrap(hello, 0, hello.length - 1));
            inTime.hello(HelloFrame.subscriber()).awaitWelcome();
            // A byte now and then does not make it any longer.
            int sent = 0;
            while (trickling.end() == null && sent < hello.length - 1) {
                try {
                    trickling.send(ByteBuffer.wrap(hello, sent++, 1));
                } catch (IOException closed) {
                    break;
                }
                Await.staysTrue(600, () -> trickling.end() == null);
            }
            for (SpeakingSubscriber late : List.of(one, most, trickling)) {
                PlainPublisher.Error error = late.awaitError();
                assertThat(error.code()).isEqualTo(CloseReason.HANDSHAKE_TIMEOUT.code());
                assertThat(error.text()).contains("250 ms");
                assertThat(late.account().said()).hasSize(1);
            }
            assertThat(sent).isLessThan(hello.length - 1);
            assertThat(relay.closed(CloseReason.HANDSHAKE_TIMEOUT)).isEqualTo(3);
            assertThat(relay.stats().closes()).hasSize(1);
            assertThat(inTime.end()).isNull();
            assertThat(plain.end()).isNull();
        }
    }

    /** Behind WELCOME a frame may take its time. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aFrameBehindWelcomeMayTakeItsTime(Setting setting) throws Exception {
        try (TestRelay relay =
                        TestRelay.start(setting, b -> b.heartbeat(SHORT).handshakeTimeout(Duration.ofMillis(50)));
                SpeakingSubscriber subscriber = relay.speaker(messages)) {
            subscriber.answers(false).hello(HelloFrame.subscriber()).awaitWelcome();
            ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
            PingFrame.put(ping, 5, 0, 0);
            subscriber.send(ping.flip().limit(11));
            subscriber.awaitSaid(ControlFrames.PING, 3);
            subscriber.send(ping.limit(PingFrame.FRAME_LENGTH));
            Account.Said pong = subscriber.awaitSaid(ControlFrames.PONG, 1);
            assertThat(pong.body().getLong()).isEqualTo(5);
        }
    }
}

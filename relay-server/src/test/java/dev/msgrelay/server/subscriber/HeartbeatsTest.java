package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** PING and PONG, and who is given up: the silent ones, never the slow ones and never the plain ones. */
class HeartbeatsTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    /** Longer than reader, relay and publisher together stand still on a busy machine: who answers is in time. */
    private static final Duration IDLE = SHORT.multipliedBy(60);

    /** So many heartbeats take longer than that. */
    private static final int PINGS = 62;

    private final Numbered messages = new Numbered(Seeds.random("HeartbeatsTest"), 5, 60, 700, 9000);

    private Scene scene(Setting setting) throws IOException {
        return Scene.of(setting, messages, b -> b.set(HEARTBEAT, SHORT)
                .set(IDLE_TIMEOUT, IDLE)
                .set(MAX_HEARTBEAT, Duration.ofHours(1)));
    }

    @Over.Transports
    void whoAnswersStaysAndIsToldWhereTheStreamStands(Setting setting) throws Exception {
        try (Scene scene = scene(setting)) {
            SpeakingSubscriber plain = scene.speaker();
            scene.relay.awaitSubscribers(1);
            scene.publisher.publish(100);
            scene.relay.awaitMessagesIn(100);
            SpeakingSubscriber subscriber = scene.welcomed(HelloFrame.subscriber());
            SpeakingSubscriber own = scene.greeting(HelloFrame.subscriber().heartbeatMillis(3_600_000));
            assertThat(own.awaitWelcome().heartbeatMillis()).isEqualTo(3_600_000);
            // Longer than the idle timeout, so that what keeps it alive are its PONGs.
            for (int ping = 1; ping <= PINGS; ping++) {
                ByteBuffer body = subscriber.awaitSaid(ControlFrames.PING, ping).body();
                assertThat(PingFrame.id(body)).isEqualTo(ping);
                scene.publisher.publish(3);
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
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    @Over.Transports
    void whoIsSilentIsGivenUp(Setting setting) throws Exception {
        try (Scene scene = scene(setting)) {
            SpeakingSubscriber plain = scene.speaker();
            SpeakingSubscriber silent = scene.speaker().answers(false).hello(HelloFrame.subscriber());
            // PINGs of its own are a sign of life as well.
            SpeakingSubscriber talking = scene.speaker().answers(false).hello(HelloFrame.subscriber());
            scene.relay.awaitSubscribers(3);
            silent.awaitWelcome();
            talking.awaitWelcome();
            int id = 0;
            while (silent.end() == null) {
                // What it reads is none: a socket with room takes it for a client that is gone, too.
                scene.publisher.publish(1);
                talking.ping(++id);
                ByteBuffer pong = talking.awaitSaid(ControlFrames.PONG, id).body();
                assertThat(pong.getLong()).isEqualTo(id);
                Await.staysTrue(20, () -> silent.end() == null);
            }
            Scene.assertError(silent, CloseReason.IDLE_TIMEOUT, IDLE.toMillis() + " ms");
            assertThat(silent.account().said(ControlFrames.PING)).isNotEmpty();
            assertThat(scene.relay.stats().closes()).containsOnly(Map.entry(CloseReason.IDLE_TIMEOUT, 1L));
            assertThat(plain.end()).isNull();
            assertThat(talking.end()).isNull();
        }
    }

    /**
     * It reads a little now and then, answers nothing, and is alive: its socket takes something every time.
     * Thorough, as it waits for seven seconds.
     */
    @Tag("thorough")
    @Over.Transports
    void whoIsSlowIsNotGivenUp(Setting setting) throws Exception {
        try (Scene scene = Scene.small(setting, messages, b -> b.set(HEARTBEAT, SHORT)
                        .set(IDLE_TIMEOUT, IDLE)
                        .set(ALLOW_POLICIES, Set.of(Policy.BACKPRESSURE)));
                PlainPublisher slow = PlainPublisher.connect(scene.relay.subscribe())) {
            slow.send(
                    HelloFrame.subscriber().policy(Policy.BACKPRESSURE).build().encode());
            scene.relay.awaitSubscribers(1);
            scene.flood();
            // Longer than the idle timeout: it reads what makes room in its socket, and never says a word.
            long until = System.nanoTime() + IDLE.plusSeconds(1).toNanos();
            while (System.nanoTime() - until < 0) {
                slow.readSome(1 << 20);
                Await.staysTrue(40, () -> scene.relay.stats().closes().isEmpty());
                assertThat(scene.relay.stats().closes()).isEmpty();
            }
            // It stops reading: now it is.
            scene.relay.awaitClosed(CloseReason.IDLE_TIMEOUT, 1);
            scene.endFlood();
        }
    }

    @Over.Sockets
    void aHelloThatIsNeverFinished(Setting setting) throws Exception {
        byte[] hello =
                HelloFrame.subscriber().name("x".repeat(200)).build().encode().array();
        try (Scene scene = Scene.of(setting, messages, b -> b.set(HANDSHAKE_TIMEOUT, Duration.ofMillis(250)))) {
            SpeakingSubscriber plain = scene.speaker();
            SpeakingSubscriber one = scene.speaker().send(ByteBuffer.wrap(hello, 0, 1));
            SpeakingSubscriber most = scene.speaker().send(ByteBuffer.wrap(hello, 0, hello.length - 1));
            SpeakingSubscriber trickling = scene.speaker();
            SpeakingSubscriber inTime = scene.welcomed(HelloFrame.subscriber());
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
                Scene.assertError(late, CloseReason.HANDSHAKE_TIMEOUT, "250 ms");
                assertThat(late.account().said()).hasSize(1);
            }
            assertThat(sent).isLessThan(hello.length - 1);
            assertThat(scene.relay.stats().closes()).containsOnly(Map.entry(CloseReason.HANDSHAKE_TIMEOUT, 3L));
            assertThat(inTime.end()).isNull();
            assertThat(plain.end()).isNull();
        }
    }

    @Over.Transports
    void aFrameBehindWelcomeMayTakeItsTime(Setting setting) throws Exception {
        try (Scene scene = Scene.of(
                setting, messages, b -> b.set(HEARTBEAT, SHORT).set(HANDSHAKE_TIMEOUT, Duration.ofMillis(50)))) {
            SpeakingSubscriber subscriber =
                    scene.welcomed(HelloFrame.subscriber()).answers(false);
            ByteBuffer ping = ByteBuffer.wrap(Hello.ping(5));
            subscriber.send(ping.limit(11));
            subscriber.awaitSaid(ControlFrames.PING, 3);
            subscriber.send(ping.limit(PingFrame.FRAME_LENGTH));
            assertThat(subscriber.awaitSaid(ControlFrames.PONG, 1).body().getLong())
                    .isEqualTo(5);
        }
    }
}

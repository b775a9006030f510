package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One address that wants too much is told so; others do not notice. */
@Tag("alone")
class PerAddressTest {
    private static final String GREEDY = "127.0.0.2";
    private static final String OTHER = "127.0.0.3";

    private static final byte[] LIVE = HelloFrame.subscriber().build().encode().array();

    private static TestRelay start(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(new Setting(Transport.AUTO, false, RelayConfig.AUTO_EVENT_LOOPS), more);
    }

    @Test
    void connections() throws Exception {
        try (TestRelay relay = start(b -> b.maxPerAddress(5));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd greedy = new Crowd()) {
            pair.begin();
            for (int i = 0; i < 5; i++) {
                greedy.connectFrom(GREEDY, i % 2 == 0 ? relay.publish() : relay.subscribe());
            }
            for (int i = 0; i < 20; i++) {
                assertThat(i % 2 == 0 ? welcomed(GREEDY, relay.publish()) : welcomed(GREEDY, relay.subscribe(), LIVE))
                        .isFalse();
            }
            assertThat(relay.closed(CloseReason.TOO_MANY_FROM_ADDRESS)).isEqualTo(20);
            assertThat(welcomed(OTHER, relay.publish())).isTrue();
            greedy.leave();
            Await.until("there is room again", () -> welcomed(GREEDY, relay.publish()));
            pair.end("connections of one address");
            pair.finish();
        }
    }

    @Test
    void handshakesPerSecond() throws Exception {
        try (TestRelay relay = start(b -> b.handshakesPerSecond(20));
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            long start = System.nanoTime();
            int welcomed = 0;
            for (int i = 0; i < 200; i++) {
                welcomed += welcomed(GREEDY, relay.publish()) ? 1 : 0;
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            // A second's worth may be saved up.
            assertThat(welcomed).isBetween(1, (int) (20 * (seconds + 2)));
            assertThat(relay.closed(CloseReason.TOO_MANY_FROM_ADDRESS)).isEqualTo(200 - welcomed);
            assertThat(welcomed(OTHER, relay.publish())).isTrue();
            Await.until("it may come again", () -> welcomed(GREEDY, relay.publish()));
            pair.end("handshakes of one address");
            pair.finish();
        }
    }

    @Test
    void replaysPerSecond() throws Exception {
        byte[] earliest =
                HelloFrame.subscriber().fromEarliest().build().encode().array();
        byte[] sequence =
                HelloFrame.subscriber().fromSequence(0, 1).build().encode().array();
        try (TestRelay relay = start(b -> b.replaysPerSecond(5));
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.push(4 << 20);
            pair.begin();
            long start = System.nanoTime();
            int welcomed = 0;
            for (int i = 0; i < 40; i++) {
                welcomed += welcomed(GREEDY, relay.subscribe(), i % 2 == 0 ? earliest : sequence) ? 1 : 0;
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            assertThat(welcomed).isBetween(1, (int) (5 * (seconds + 2)));
            assertThat(relay.closed(CloseReason.TOO_MANY_FROM_ADDRESS)).isEqualTo(40 - welcomed);
            // To start live costs nothing.
            assertThat(welcomed(GREEDY, relay.subscribe(), LIVE)).isTrue();
            assertThat(welcomed(OTHER, relay.subscribe(), earliest)).isTrue();
            Await.until("it may replay again", () -> welcomed(GREEDY, relay.subscribe(), earliest));
            pair.end("replays of one address");
            pair.finish();
        }
    }

    private static boolean welcomed(String from, SocketAddress publish) {
        return welcomed(from, publish, Hello.plain().bytes());
    }

    /** Connects, says HELLO and leaves; whether it was let in, or told that its address has too much of something. */
    private static boolean welcomed(String from, SocketAddress to, byte[] hello) {
        try (TalkingPublisher client = TalkingPublisher.connectFrom(from, to)) {
            client.send(hello);
            Control answer = client.next();
            while (answer != null && answer.type() != Hello.WELCOME && answer.type() != Hello.ERROR) {
                // A subscriber is a plain one until its HELLO is there.
                answer = client.next();
            }
            assertThat(answer).as("an answer to HELLO").isNotNull();
            if (answer.type() == Hello.ERROR) {
                assertThat(answer.code()).isEqualTo(CloseReason.TOO_MANY_FROM_ADDRESS.code());
                assertThat(answer.text()).contains(from);
            }
            return answer.type() == Hello.WELCOME;
        } catch (IOException e) {
            throw new AssertionError(from + " was told nothing: " + e.getMessage(), e);
        }
    }
}

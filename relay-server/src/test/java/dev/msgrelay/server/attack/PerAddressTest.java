package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One address that wants too much is told so; others do not notice. */
class PerAddressTest {
    private static final String GREEDY = "127.0.0.2";
    private static final String OTHER = "127.0.0.3";

    private static final byte[] LIVE = HelloFrame.subscriber().build().encode().array();

    @TempDir
    private Path directory;

    private static TestRelay start(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(new Setting(Transport.AUTO, false, RelayConfig.AUTO_EVENT_LOOPS), more);
    }

    @Test
    void connections() throws Exception {
        try (TestRelay relay = start(b -> b.set(MAX_PER_ADDRESS, 5));
                HealthyPair pair = Attack.pair(relay)) {
            pair.begin();
            List<TalkingPublisher> greedy = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                greedy.add(TalkingPublisher.connectFrom(GREEDY, i % 2 == 0 ? relay.publish() : relay.subscribe()));
            }
            // The two ports let in side by side: who came to one of them last may be the sixth.
            relay.awaitPublishers(HealthyPair.PUBLISHERS + 3);
            relay.awaitSubscribers(1 + 2);
            for (int i = 0; i < 20; i++) {
                assertThat(i % 2 == 0 ? welcomed(GREEDY, relay.publish()) : welcomed(GREEDY, relay.subscribe(), LIVE))
                        .isFalse();
            }
            relay.awaitClosed(CloseReason.TOO_MANY_FROM_ADDRESS, 20);
            assertThat(welcomed(OTHER, relay.publish())).isTrue();
            for (TalkingPublisher client : greedy) {
                client.close();
            }
            Await.until("there is room again", () -> welcomed(GREEDY, relay.publish()));
            pair.end("connections of one address");
            pair.finish();
        }
    }

    @Test
    void handshakesPerSecond() throws Exception {
        try (TestRelay relay = start(b -> b.set(HANDSHAKES_PER_ADDRESS, 5));
                HealthyPair pair = Attack.pair(relay)) {
            pair.begin();
            int refused = askUntilRefused(relay.publish(), Hello.plain().bytes());
            relay.awaitClosed(CloseReason.TOO_MANY_FROM_ADDRESS, refused);
            assertThat(welcomed(OTHER, relay.publish())).isTrue();
            Await.until("it may come again", () -> welcomed(GREEDY, relay.publish()));
            pair.end("handshakes of one address");
            pair.finish();
        }
    }

    /**
     * Starts in the journal take turns; who waits too long is told so. Starts within the log, and live ones, need no
     * turn.
     */
    @Test
    void startsInTheJournal() throws Exception {
        byte[] earliest =
                HelloFrame.subscriber().fromEarliest().build().encode().array();
        try (TestRelay relay =
                        start(b -> Attack.small(b).set(JOURNAL, directory).set(REPLAYS_PER_ADDRESS, 1));
                HealthyPair pair = Attack.pair(relay)) {
            pair.push(2L * Attack.SMALL_LOG);
            pair.begin();
            List<TalkingPublisher> greedy = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                TalkingPublisher client = TalkingPublisher.connectFrom(GREEDY, relay.subscribe());
                client.send(earliest);
                greedy.add(client);
            }
            assertThat(welcomed(GREEDY, relay.subscribe(), LIVE)).isTrue();
            assertThat(welcomed(OTHER, relay.subscribe(), earliest)).isTrue();
            int refused = 0;
            for (TalkingPublisher client : greedy) {
                refused += welcomed(GREEDY, client) ? 0 : 1;
                client.close();
            }
            assertThat(refused).isBetween(1, 59);
            relay.awaitClosed(CloseReason.TOO_MANY_FROM_ADDRESS, refused);
            Await.until("it may start there again", () -> welcomed(GREEDY, relay.subscribe(), earliest));
            pair.end("starts of one address in the journal");
            pair.finish();
        }
    }

    /** Sixty readers of one address come back to a place that the log has: a start there is no burden. */
    @Test
    void startsInTheLog() throws Exception {
        byte[] earliest =
                HelloFrame.subscriber().fromEarliest().build().encode().array();
        byte[] sequence =
                HelloFrame.subscriber().fromSequence(0, 1).build().encode().array();
        try (TestRelay relay =
                        start(b -> Attack.small(b).set(JOURNAL, directory).set(REPLAYS_PER_ADDRESS, 1));
                HealthyPair pair = Attack.pair(relay)) {
            pair.push(1 << 20);
            for (int i = 0; i < 60; i++) {
                assertThat(welcomed(GREEDY, relay.subscribe(), i % 2 == 0 ? earliest : sequence))
                        .isTrue();
            }
        }
    }

    /**
     * As fast as this machine can, with one HELLO after the other, and ten times more; answers how many are refused.
     */
    private static int askUntilRefused(SocketAddress to, byte[]... hellos) {
        int refused = 0;
        int more = 10;
        for (int i = 0; more > 0; i++) {
            refused += welcomed(GREEDY, to, hellos[i % hellos.length]) ? 0 : 1;
            more -= refused > 0 ? 1 : 0;
        }
        return refused;
    }

    private static boolean welcomed(String from, SocketAddress publish) {
        return welcomed(from, publish, Hello.plain().bytes());
    }

    /** Connects, says HELLO and leaves; whether it was let in, or told that its address has too much of something. */
    private static boolean welcomed(String from, SocketAddress to, byte[] hello) {
        try (TalkingPublisher client = TalkingPublisher.connectFrom(from, to)) {
            client.send(hello);
            return welcomed(from, client);
        } catch (IOException e) {
            throw new AssertionError(from + " was told nothing: " + e.getMessage(), e);
        }
    }

    /** Whether a client that has said HELLO is let in. */
    private static boolean welcomed(String from, TalkingPublisher client) {
        try {
            Control answer = client.next();
            boolean waits = false;
            while (answer != null && answer.type() != Hello.WELCOME && answer.type() != Hello.ERROR) {
                // A subscriber is a plain one until its HELLO is there.
                waits = answer.type() == ControlFrames.RETRY_AFTER;
                answer = client.next();
            }
            assertThat(answer).as("an answer to HELLO").isNotNull();
            if (answer.type() == Hello.ERROR) {
                assertThat(answer.code()).isEqualTo(CloseReason.TOO_MANY_FROM_ADDRESS.code());
                assertThat(answer.text()).contains(from);
                assertThat(waits).as("RETRY_AFTER before it").isTrue();
            }
            return answer.type() == Hello.WELCOME;
        } catch (IOException e) {
            throw new AssertionError(from + " was told nothing: " + e.getMessage(), e);
        }
    }
}

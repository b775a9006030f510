package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HELLO is answered, and every field of the answer is what the relay was started with or the client asked for. */
class WelcomeTest {
    private final Numbered messages = new Numbered(Seeds.random("WelcomeTest"), 10, 100);

    @Over.Pairs
    void eachField(Setting setting) throws Exception {
        try (Scene scene = Scene.of(setting, messages, b -> b.set(MAX_BODY, 12_345)
                .set(SLOW_SUBSCRIBER, Policy.SKIP)
                .set(HEARTBEAT, Duration.ofMillis(1500))
                .set(IDLE_TIMEOUT, Duration.ofMillis(6100)))) {
            scene.publisher.publish(10);
            scene.relay.awaitMessagesIn(10);
            SpeakingSubscriber first = scene.greeting(HelloFrame.subscriber());
            WelcomeFrame welcome = first.awaitWelcome();
            assertThat(welcome.version()).isEqualTo(1);
            assertThat(welcome.policy()).isEqualTo(Policy.SKIP);
            assertThat(welcome.flags()).isZero();
            assertThat(welcome.features()).isZero();
            assertThat(welcome.epoch()).isNotZero();
            assertThat(welcome.next()).isEqualTo(11);
            assertThat(welcome.accepted()).isZero();
            assertThat(welcome.maxBody()).isEqualTo(12_345);
            assertThat(welcome.heartbeatMillis()).isEqualTo(1500);
            assertThat(welcome.idleTimeoutMillis()).isEqualTo(6100);
            assertThat(welcome.maxRanges()).isEqualTo(1024);
            assertThat(welcome.server()).startsWith("relay");

            // All features that may be declined, known or not; another version; a heartbeat of its own.
            SpeakingSubscriber second = scene.greeting(HelloFrame.subscriber()
                    .versions(1, 7)
                    .features(0xFFFF)
                    .policy(Policy.DISCONNECT)
                    .heartbeatMillis(60_000)
                    .fromEarliest()
                    .name("n".repeat(255)));
            WelcomeFrame asked = second.awaitWelcome();
            assertThat(asked.version()).isEqualTo(1);
            assertThat(asked.policy()).isEqualTo(Policy.DISCONNECT);
            assertThat(asked.features()).isEqualTo(Features.SEQUENCES | Features.PEER);
            assertThat(asked.epoch()).isEqualTo(welcome.epoch());
            assertThat(asked.next()).isEqualTo(1);
            assertThat(asked.heartbeatMillis()).isEqualTo(60_000);
            assertThat(asked.idleTimeoutMillis()).isGreaterThanOrEqualTo(60_000);

            scene.publisher.publish(5);
            Scene.assertComplete(16, first, second);
            assertThat(first.account().count()).isEqualTo(5);
            assertThat(second.account().count()).isEqualTo(15);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DISCONNECT, '',                   RELAY_DEFAULT, DISCONNECT",
        "DISCONNECT, '',                   SKIP,          DISCONNECT",
        "DISCONNECT, SKIP,                 SKIP,          SKIP",
        "DISCONNECT, SKIP,                 BACKPRESSURE,  DISCONNECT",
        "DISCONNECT, BACKPRESSURE,         BACKPRESSURE,  BACKPRESSURE",
        "SKIP,       DISCONNECT,           DISCONNECT,    DISCONNECT",
        "SKIP,       BACKPRESSURE,         DISCONNECT,    SKIP",
        "BACKPRESSURE, '',                 BACKPRESSURE,  BACKPRESSURE",
        "BACKPRESSURE, SKIP,               RELAY_DEFAULT, BACKPRESSURE",
        "BACKPRESSURE, SKIP,               SKIP,          SKIP",
        "BACKPRESSURE, SKIP,               DISCONNECT,    BACKPRESSURE",
    })
    void thePolicyThatIsGranted(Policy own, String allowed, Policy wanted, Policy granted) throws Exception {
        Set<Policy> may = allowed.isEmpty() ? Set.of() : Set.of(Policy.valueOf(allowed));
        try (TestRelay relay = TestRelay.start(
                        Setting.NIO_TCP, b -> b.set(SLOW_SUBSCRIBER, own).set(ALLOW_POLICIES, may));
                SpeakingSubscriber subscriber = relay.speaker(messages)) {
            subscriber.hello(HelloFrame.subscriber().policy(wanted));
            assertThat(subscriber.awaitWelcome().policy()).isEqualTo(granted);
        }
    }
}

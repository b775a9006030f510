package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GrantedTest {
    private final StringWriter said = new StringWriter();
    private final PrintWriter err = new PrintWriter(said);

    private static SessionEvent connected(Policy policy, int features) {
        return connected(policy, features, 0);
    }

    private static SessionEvent connected(Policy policy, int features, int intervalMillis) {
        WelcomeFrame welcome = new WelcomeFrame(
                1, policy, 0, features, 7, 1, 0, 1000, 100, 300, 4, "", 0, Epochs.NONE, intervalMillis, "", "");
        return new SessionEvent.Connected(Endpoint.tcp("127.0.0.1", 7400), welcome, false);
    }

    @Test
    void eachDifferenceIsSaidOnce() {
        Granted granted = new Granted(Policy.BACKPRESSURE, Optional.empty(), err);
        granted.event(connected(Policy.SKIP, 0));
        granted.event(connected(Policy.SKIP, 0));
        granted.event(connected(Policy.BACKPRESSURE, 0));
        granted.event(connected(Policy.RELAY_DEFAULT, Features.NARROWED));
        assertThat(said.toString().lines())
                .containsExactly(
                        "127.0.0.1:7400 does not grant --policy backpressure: its policy for this subscriber is skip",
                        "127.0.0.1:7400 does not grant --policy backpressure: its own holds, and grants only some of the"
                                + " types: its access block leaves the others out");
    }

    @Test
    void withoutAWishOnlyTypesMayBeLeftOut() {
        Granted granted = new Granted(Policy.RELAY_DEFAULT, Optional.empty(), err);
        granted.event(connected(Policy.SKIP, 0));
        granted.event(connected(Policy.SKIP, Features.NARROWED));
        assertThat(said.toString().lines())
                .containsExactly(
                        "127.0.0.1:7400 grants only some of the types: its access block leaves the others out");
    }

    @Test
    void anIntervalMayBeLongerOrDeclined() {
        Granted granted = new Granted(Policy.LATEST, Optional.of(Duration.ofMillis(500)), err);
        granted.event(connected(Policy.LATEST, Features.INTERVAL, 500));
        granted.event(connected(Policy.LATEST, Features.INTERVAL, 2000));
        granted.event(connected(Policy.LATEST, Features.INTERVAL, 2000));
        granted.event(connected(Policy.LATEST, Features.NARROWED));
        granted.event(connected(Policy.SKIP, 0));
        String start = "127.0.0.1:7400 does not grant --interval 500ms: ";
        assertThat(said.toString().lines())
                .containsExactly(
                        start + "its interval for this subscriber is 2s",
                        start + "messages come as with --policy latest alone, and grants only some of the types: its"
                                + " access block leaves the others out",
                        "127.0.0.1:7400 does not grant --policy latest: its policy for this subscriber is skip");
    }
}

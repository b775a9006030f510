package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a client says of a relay that ends connections before WELCOME. */
class ReconnectorTest {
    private final Endpoint endpoint = Endpoint.parse("127.0.0.1:7400");
    private final Reconnector reconnector =
            new Reconnector(List.of(endpoint), ReconnectPolicy.endless(), new Random(1), () -> 0);

    @Test
    void aRelayThatEndsTimeAfterTimeBeforeWelcomeMayKnowNoHello() {
        for (int i = 1; i < Reconnector.UNANSWERED; i++) {
            assertThat(next(unanswered())).hasMessageNotContaining("HELLO");
        }
        for (int i = 0; i < 5; i++) {
            assertThat(next(unanswered()))
                    .hasMessageContaining(3 + i + " connections in a row ended so")
                    .hasMessageContaining("plain()");
        }
    }

    @Test
    void aRelayThatIsKilledTimeAfterTimeDoesNot() {
        for (int i = 0; i < 2 * Reconnector.UNANSWERED; i++) {
            assertThat(next(unanswered())).hasMessageNotContaining("HELLO");
            assertThat(next(new ConnectException("Connection refused"))).hasMessage("Connection refused");
        }
    }

    @Test
    void aRelayThatHasWelcomedKnowsIt() {
        reconnector.welcomed();
        for (int i = 0; i < 2 * Reconnector.UNANSWERED; i++) {
            assertThat(next(unanswered())).hasMessageNotContaining("HELLO");
        }
    }

    /** The end as it is told; there is always another try. */
    private IOException next(IOException end) {
        IOException told = reconnector.explained(end);
        assertThat(reconnector.failed(told)).isTrue();
        return told;
    }

    private IOException unanswered() {
        return new NoWelcomeException(endpoint, new EOFException("the relay closed the connection"));
    }
}

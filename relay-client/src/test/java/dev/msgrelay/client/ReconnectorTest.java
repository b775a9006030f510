package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When a client takes a relay for one that knows no HELLO. */
class ReconnectorTest {
    private final Endpoint endpoint = Endpoint.parse("127.0.0.1:7400");
    private final Reconnector reconnector =
            new Reconnector(List.of(endpoint), ReconnectPolicy.endless(), new Random(1), () -> 0);

    @Test
    void aRelayThatClosesBeforeWelcomeTimeAfterTimeKnowsNoHello() {
        for (int i = 1; i < Reconnector.UNANSWERED; i++) {
            assertThat(reconnector.failed(unanswered())).isNull();
        }
        assertThat(reconnector.failed(unanswered()))
                .isInstanceOf(RelayUnsuitableException.class)
                .hasMessageContaining("3 tries in a row ended so");
    }

    @Test
    void aRelayThatIsKilledTimeAfterTimeDoesNot() {
        for (int i = 0; i < 2 * Reconnector.UNANSWERED; i++) {
            assertThat(reconnector.failed(unanswered())).isNull();
            assertThat(reconnector.failed(new ConnectException("Connection refused")))
                    .isNull();
        }
    }

    private IOException unanswered() {
        return new NoWelcomeException(endpoint, new EOFException("the relay closed the connection"));
    }
}

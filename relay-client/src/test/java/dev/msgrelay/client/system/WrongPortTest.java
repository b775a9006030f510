package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayErrorException;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plain publisher on the subscribe port learns of it, also where the stream that it gets there is in full flow. */
class WrongPortTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int BODY = 40_000;

    private volatile boolean over;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isNamed(boolean busy) throws Exception {
        try (RelayServer relay = RelayServer.start(RelayConfig.builder(0, 0).build())) {
            CompletableFuture<Void> stream = busy
                    ? CompletableFuture.runAsync(
                            () -> stream(endpoint(relay.publishAddress().getPort())))
                    : CompletableFuture.completedFuture(null);
            try {
                publishUntilTold(endpoint(relay.subscribeAddress().getPort()));
            } finally {
                over = true;
            }
            stream.get(120, TimeUnit.SECONDS);
        }
    }

    private static void publishUntilTold(Endpoint wrong) throws Exception {
        try (RelayPublisher lost = RelayPublisher.connect(PublisherOptions.builder(wrong)
                .plain()
                .reconnect(ReconnectPolicy.none())
                .build())) {
            ByteBuffer body = ByteBuffer.allocate(100);
            PublishOutcome outcome;
            do {
                outcome = lost.publish(1, body, LONG);
            } while (outcome == PublishOutcome.ACCEPTED);
            assertThat(outcome).isSameAs(PublishOutcome.CLOSED);
            assertThat(lost.failure().orElseThrow())
                    .isInstanceOfSatisfying(RelayErrorException.class, e -> assertThat(e.reason())
                            .isSameAs(CloseReason.UNEXPECTED_INPUT));
            assertThatThrownBy(lost::close).hasMessageContaining(CloseReason.UNEXPECTED_INPUT.text());
        }
    }

    private void stream(Endpoint endpoint) {
        ByteBuffer body = ByteBuffer.allocate(BODY);
        try (RelayPublisher publisher = RelayPublisher.connect(endpoint)) {
            while (!over) {
                assertThat(publisher.publish(1, body, LONG)).isSameAs(PublishOutcome.ACCEPTED);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.tcp("127.0.0.1", port);
    }
}

package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.ops.Counter;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a relay says of its own life. */
class LiveTest {
    @Test
    void aCoreThatHangsFallsSilent() throws Exception {
        CountDownLatch hang = new CountDownLatch(1);
        try (RelayServer relay = RelayServer.start(RelayConfig.builder()
                        .publishPort(0)
                        .subscribePort(0)
                        .logSize(8 << 20)
                        .eventLoops(1)
                        .build());
                SocketChannel subscriber = SocketChannel.open(relay.subscribeAddress())) {
            assertThat(subscriber.isConnected()).isTrue();
            Await.until("a subscriber", () -> relay.stats().subscribers() == 1);
            assertThat(relay.live()).isTrue();
            relay.engine().services().table().live().iterator().next().loop().execute(() -> {
                try {
                    hang.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Await.until("silence", () -> relay.engine().silentMillis() > 1000);
            assertThat(relay.stats().get(Counter.MESSAGES_IN))
                    .as("reports go on")
                    .isZero();
            hang.countDown();
            Await.until("life", () -> relay.engine().silentMillis() < 500);
        } finally {
            hang.countDown();
        }
    }

    @Test
    void afterAFaultOfItsOwnItIsNeitherLiveNorReady() throws Exception {
        try (RelayServer relay = RelayServer.start(RelayConfig.builder()
                .publishPort(0)
                .subscribePort(0)
                .logSize(8 << 20)
                .build())) {
            assertThat(relay.ready()).isTrue();
            relay.failed(new IllegalStateException("as the test wants it"));
            assertThat(relay.live()).isFalse();
            assertThat(relay.ready()).isFalse();
        }
    }
}

package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Namespace;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import java.io.BufferedReader;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers whose link goes down, and who never say so. In a network namespace of this test's own; as root only. */
@Tag("thorough")
class VanishedPeersTest {
    private static final int OF_EACH_KIND = 25;

    @Test
    void areGoneWithinTheIdleTimeout() throws Exception {
        try (Namespace namespace = new Namespace()) {
            assumeTrue(namespace.up(), namespace::why);
            try (TestRelay relay = TestRelay.start(
                            new Setting(Transport.AUTO, false, RelayConfig.AUTO_EVENT_LOOPS),
                            b -> b.host(namespace.host())
                                    .insecure(true)
                                    .heartbeat(Duration.ofMillis(500))
                                    .idleTimeout(Duration.ofSeconds(2))
                                    .peerTimeout(Duration.ofSeconds(4)));
                    HealthyPair pair = AttackRelay.pair(relay)) {
                Process peers = namespace.run(
                        VanishingPeers.class,
                        namespace.host(),
                        "" + relay.relay().publishAddress().getPort(),
                        "" + relay.relay().subscribeAddress().getPort(),
                        "" + OF_EACH_KIND);
                try (BufferedReader lines = peers.inputReader()) {
                    assertThat(lines.readLine()).isEqualTo("ready");
                    relay.awaitPublishers(2 * OF_EACH_KIND + 2);
                    relay.awaitSubscribers(2 * OF_EACH_KIND + 1);
                    pair.begin();
                    assertThat(namespace.down()).as(namespace::why).isTrue();
                    Await.until(
                            () -> "all are given up: " + relay.stats(),
                            () -> relay.stats().publishers() == 2
                                    && relay.stats().subscribers() == 1);
                    pair.end("100 peers that vanished");
                    System.out.println("closed: " + relay.stats().closes());
                    pair.finish();
                } finally {
                    peers.destroyForcibly();
                }
            }
        }
    }
}

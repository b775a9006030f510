package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Namespace;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A publisher at full speed over a link of packets of 1,500 bytes that nothing merges: most reads end within a record. In a
 * network namespace of this test's own; as root only.
 */
@Tag("thorough")
class ShortPacketsTest {
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void aPublisherAtFullSpeedStays(TlsProvider provider) throws Exception {
        try (Namespace namespace = new Namespace();
                Certificates certificates = new Certificates()) {
            assumeTrue(namespace.up() && namespace.shortPackets(), namespace::why);
            Path authority = certificates.authorityFile();
            TlsFiles files = certificates.relayFiles();
            try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.host(namespace.host())
                    .insecure(true)
                    .tls(files)
                    .tlsProvider(provider)
                    .tlsPublishPort(0)
                    .tlsSubscribePort(0))) {
                Process publisher = namespace.run(
                        FullSpeedPublisher.class,
                        namespace.host(),
                        "" + relay.relay().tlsPublishAddress().getPort(),
                        authority.toString());
                try (BufferedReader lines = publisher.inputReader()) {
                    assertThat(lines.readLine())
                            .as(() -> "what became of the publisher; closed: "
                                    + relay.stats().closes())
                            .isEqualTo("sent");
                    relay.awaitMessagesIn(FullSpeedPublisher.MESSAGES);
                    Await.until(
                            () -> "its end: " + relay.stats(),
                            () -> !relay.stats().closes().isEmpty());
                    assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.PEER_CLOSED);
                } finally {
                    publisher.destroyForcibly();
                }
            }
        }
    }
}

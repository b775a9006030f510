package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.net.PemFiles;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Namespace;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.ThisMachine;
import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;

/**
 * A publisher at full speed over a link of packets of 1,500 bytes that nothing merges: most reads end within a record.
 * In a network namespace of this test's own; as root only.
 */
@Tag("thorough")
class ShortPacketsTest {
    @EachLibrary
    void aPublisherAtFullSpeedStays(TlsProvider provider) throws Exception {
        try (Namespace namespace = new Namespace()) {
            ThisMachine.need(namespace.up() && namespace.shortPackets(), namespace.why());
            try (SecuredRelay tls = SecuredRelay.start(
                    Setting.NIO_TCP, provider, Certificates::relayFiles, b -> b.set(BIND, namespace.host())
                            .set(INSECURE, true))) {
                TestRelay relay = tls.relay;
                Process publisher = namespace.run(
                        FullSpeedPublisher.class,
                        namespace.host(),
                        "" + tls.publish().getPort(),
                        tls.certificates.authorityFile().toString());
                try (BufferedReader lines = publisher.inputReader(StandardCharsets.UTF_8)) {
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

    /** A process that publishes over TLS as fast as it can, and says "sent" once all of it is on its way. */
    static final class FullSpeedPublisher {
        private static final int MESSAGES = 32 * 1024;
        private static final int AT_ONCE = 64;
        private static final int BODY = 1000;

        private FullSpeedPublisher() {}

        /** @param args host, port, file of the authority */
        public static void main(String[] args) throws Exception {
            KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
            authorities.load(null);
            authorities.setCertificateEntry(
                    "authority", PemFiles.certificates(Path.of(args[2])).get(0));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(authorities);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(null, trust.getTrustManagers(), null);
            Frames frames = new Frames();
            for (int i = 0; i < AT_ONCE; i++) {
                frames.frame(i, BODY);
            }
            byte[] bytes = frames.bytes();
            try (SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(args[0], Integer.parseInt(args[1]))) {
                OutputStream out = socket.getOutputStream();
                for (int sent = 0; sent < MESSAGES; sent += AT_ONCE) {
                    out.write(bytes);
                }
                socket.shutdownOutput();
                System.out.println("sent");
                socket.getInputStream().readAllBytes();
            }
        }
    }
}

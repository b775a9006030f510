package dev.msgrelay.client.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.system.TlsFolder;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands with TLS, as a user gives them. */
class TlsCommandsTest {
    /** Several handshakes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    Path folder;

    @Test
    void withCertificatesOfBothSides() throws Exception {
        TlsFolder files = new TlsFolder(folder);
        X509Bundle own = files.signed("CN=audit", b -> b);
        String ca = files.ca.toString();
        String cert = files.certificate(own).toString();
        String key = files.key(own).toString();
        RelayConfig config = RelayConfig.builder(0, 0)
                .set(TLS_FILES, files.files(files.relay(), true))
                .set(TLS_PUBLISH_PORT, 0)
                .set(TLS_SUBSCRIBE_PORT, 0)
                .set(HANDSHAKE_TIMEOUT, PATIENCE)
                .build();
        try (RelayServer relay = RelayServer.start(config)) {
            String in = Endpoint.of(relay.tlsPublishAddress()).toString();
            String out = Endpoint.of(relay.tlsSubscribeAddress()).toString();
            CompletableFuture<CommandRun> subscribed = CommandRun.start(
                    "",
                    "subscribe",
                    out,
                    "--connect-timeout=" + PATIENCE.toSeconds() + "s",
                    "--print",
                    "--count",
                    "1",
                    "--tls-ca",
                    ca,
                    "--tls-cert",
                    cert,
                    "--tls-key",
                    key);
            // Before its HELLO is there it would miss the message.
            while (relay.connections().stream().noneMatch(row -> row.state().equals("open"))) {
                assertThat(subscribed).isNotDone();
                Thread.onSpinWait();
            }
            CommandRun published = CommandRun.withInput(
                    "hello\n".getBytes(UTF_8),
                    "publish",
                    in,
                    "--connect-timeout=" + PATIENCE.toSeconds() + "s",
                    "--type",
                    "7",
                    "--tls-ca",
                    ca,
                    "--tls-cert",
                    cert,
                    "--tls-key",
                    key);
            assertThat(published.exitCode()).isZero();
            CommandRun run = subscribed.get(120, TimeUnit.SECONDS);
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("hello");

            CommandRun path = CommandRun.of(
                    "info",
                    "--path",
                    "--json",
                    "--connect-timeout=" + PATIENCE.toSeconds() + "s",
                    in,
                    "--tls-ca",
                    ca,
                    "--tls-cert",
                    cert,
                    "--tls-key",
                    key);
            assertThat(path.out())
                    .as(path.err())
                    .contains("\"tls\":\"TLSv1.3\"", "\"cipherSuite\":\"TLS_", "\"certificateDays\":");

            CommandRun foreign = CommandRun.withInput(
                    "hello\n".getBytes(UTF_8),
                    "publish",
                    in,
                    "--connect-timeout=" + PATIENCE.toSeconds() + "s",
                    "--type",
                    "7",
                    "--tls",
                    "--reconnect",
                    "none");
            assertThat(foreign.exitCode()).isEqualTo(1);
            assertThat(foreign.err()).contains("TLS with " + in + " failed: the relay's certificate is refused");
            assertThat(foreign.err().strip()).endsWith("; name your authority with --tls-ca");
        }
    }
}

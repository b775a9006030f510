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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands with TLS, as a user gives them. */
class TlsCommandsTest {
    /** Several handshakes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final String PATIENT = "--connect-timeout=" + PATIENCE.toSeconds() + "s";

    @TempDir
    Path folder;

    @Test
    void withCertificatesOfBothSides() throws Exception {
        TlsFolder files = new TlsFolder(folder);
        X509Bundle own = files.signed("CN=audit", b -> b);
        List<String> shown = List.of(
                PATIENT,
                "--tls-ca",
                files.ca.toString(),
                "--tls-cert",
                files.certificate(own).toString(),
                "--tls-key",
                files.key(own).toString());
        RelayConfig config = RelayConfig.builder(0, 0)
                .set(TLS_FILES, files.files(files.relay(), true))
                .set(TLS_PUBLISH_PORT, 0)
                .set(TLS_SUBSCRIBE_PORT, 0)
                .set(HANDSHAKE_TIMEOUT, PATIENCE)
                .build();
        try (RelayServer relay = RelayServer.start(config)) {
            String in = Endpoint.of(relay.tlsPublishAddress()).toString();
            String out = Endpoint.of(relay.tlsSubscribeAddress()).toString();
            CompletableFuture<CommandRun> subscribed =
                    CommandRun.start("", with(shown, "subscribe", out, "--print", "--count", "1"));
            // Before its HELLO is there it would miss the message.
            while (relay.connections().stream().noneMatch(row -> row.state().equals("open"))) {
                assertThat(subscribed).isNotDone();
                Thread.onSpinWait();
            }
            CommandRun published =
                    CommandRun.withInput("hello\n".getBytes(UTF_8), with(shown, "publish", in, "--type", "7"));
            assertThat(published.exitCode()).isZero();
            CommandRun run = subscribed.get(120, TimeUnit.SECONDS);
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("hello");

            CommandRun path = CommandRun.of(with(shown, "info", "--path", "--json", in));
            assertThat(path.out())
                    .as(path.err())
                    .contains("\"tls\":\"TLSv1.3\"", "\"cipherSuite\":\"TLS_", "\"certificateDays\":");

            CommandRun foreign = CommandRun.withInput(
                    "hello\n".getBytes(UTF_8), "publish", in, PATIENT, "--type", "7", "--tls", "--reconnect", "none");
            assertThat(foreign.exitCode()).isEqualTo(1);
            assertThat(foreign.err()).contains("TLS with " + in + " failed: the relay's certificate is refused");
            assertThat(foreign.err().strip()).endsWith("; name your authority with --tls-ca");
        }
    }

    private static String[] with(List<String> options, String... command) {
        return Stream.concat(Stream.of(command), options.stream()).toArray(String[]::new);
    }
}

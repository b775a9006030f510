package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.aeron.security.Authenticator;
import io.aeron.security.SessionProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gate to the nodes: who knows the secret gets in. */
class ClusterSecretTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("secret"), text);
    }

    private static ClusterFile cluster(String name, Path secret) {
        return new ClusterFile(
                name,
                Path.of("none"),
                Path.of("none"),
                Optional.ofNullable(secret),
                1_408,
                false,
                Duration.ofMinutes(10),
                1 << 30,
                Optional.empty(),
                Optional.empty(),
                Map.of(1, new ClusterFile.Member("127.0.0.1", 1)));
    }

    private static byte[] shown(String name, Path secret) throws IOException {
        return ClusterSecret.of(cluster(name, secret)).credentials().encodedCredentials();
    }

    /** Answers: let in, rejected, or still at the door. */
    private static String comes(Authenticator gate, long number, byte[] shown, long millis) {
        gate.onConnectRequest(number, shown, millis);
        return isSeen(gate, number, millis);
    }

    private static String isSeen(Authenticator gate, long number, long millis) {
        String[] verdict = {"waits"};
        gate.onConnectedSession(
                new SessionProxy() {
                    @Override
                    public long sessionId() {
                        return number;
                    }

                    @Override
                    public boolean challenge(byte[] challenge) {
                        verdict[0] = "challenged";
                        return true;
                    }

                    @Override
                    public boolean authenticate(byte[] principal) {
                        verdict[0] = "let in";
                        return true;
                    }

                    @Override
                    public void reject() {
                        verdict[0] = "rejected";
                    }
                },
                millis);
        return verdict[0];
    }

    @Test
    void whoHasNotShownTheSecretIsRejected() throws IOException {
        Path secret = file(SECRET + "\n");
        byte[] right = shown("orders", secret);
        Authenticator gate =
                ClusterSecret.of(cluster("orders", secret)).authenticator().get();
        assertThat(comes(gate, 1, right, 0)).isEqualTo("let in");
        assertThat(comes(gate, 2, new byte[0], 0)).isEqualTo("rejected");
        assertThat(comes(gate, 3, null, 0)).isEqualTo("rejected");
        assertThat(comes(gate, 4, SECRET.getBytes(StandardCharsets.UTF_8), 0)).isEqualTo("rejected");
        assertThat(comes(gate, 5, shown("prices", secret), 0))
                .as("another cluster's")
                .isEqualTo("rejected");
        assertThat(isSeen(gate, 1, 0)).as("once, and no more").isEqualTo("rejected");
        gate.onConnectRequest(6, right, 0);
        assertThat(comes(gate, 7, new byte[32], 0)).isEqualTo("rejected");
        assertThat(isSeen(gate, 6, 0)).isEqualTo("let in");
    }

    /** Sessions that copy the log have all the same number: a stranger must not get in as one of them. */
    @Test
    void whereTwoHaveNoNumberAndOneIsAStrangerNoneIsLetIn() throws IOException {
        Path secret = file(SECRET);
        byte[] right = shown("orders", secret);
        Authenticator gate =
                ClusterSecret.of(cluster("orders", secret)).authenticator().get();
        assertThat(comes(gate, -1, right, 0)).isEqualTo("let in");
        assertThat(comes(gate, -1, right, 0)).isEqualTo("let in");
        gate.onConnectRequest(-1, new byte[32], 1);
        assertThat(comes(gate, -1, right, 2)).isEqualTo("rejected");
        assertThat(comes(gate, -1, right, TimeUnit.MINUTES.toMillis(2))).isEqualTo("let in");
    }

    @Test
    void theSecretItselfIsNeverSaid() throws IOException {
        Path secret = file("  " + SECRET + "\r\n");
        assertThat(new String(shown("orders", secret), java.nio.charset.StandardCharsets.ISO_8859_1))
                .doesNotContain(SECRET.substring(0, 8));
        assertThat(shown("orders", secret)).hasSize(32).isEqualTo(shown("orders", file(SECRET)));
        for (String wrong : new String[] {"", "short-secret", SECRET.repeat(200)}) {
            assertThatIOException()
                    .isThrownBy(() -> ClusterSecret.of(cluster("orders", file(wrong))))
                    .withMessageContaining("secret-file " + folder.resolve("secret"))
                    .withMessageContaining("bytes")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("short-secret", SECRET));
        }
    }

    @Test
    void aFileThatIsNoneIsNamed() {
        assertThatIOException()
                .isThrownBy(() -> ClusterSecret.of(cluster("orders", folder.resolve("nowhere"))))
                .withMessageContaining("nowhere: there is no such file");
        assertThatIOException()
                .isThrownBy(() -> ClusterSecret.of(cluster("orders", folder)))
                .withMessageContaining("it is a folder: give a file");
    }

    @Test
    void withoutAFileEverybodyIsLetIn() throws IOException {
        ClusterSecret none = ClusterSecret.of(cluster("orders", null));
        assertThat(none.credentials().encodedCredentials()).isEmpty();
        assertThat(comes(none.authenticator().get(), 1, new byte[0], 0)).isEqualTo("let in");
    }
}

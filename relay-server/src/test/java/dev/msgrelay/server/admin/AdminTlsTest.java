package dev.msgrelay.server.admin;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.tls.TlsFailure;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import dev.msgrelay.testing.ConcurrentTest;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.EnumSource;

/** The admin port with TLS: the same answers, and nothing in the clear. */
class AdminTlsTest {
    private static final String TOKEN = "Xq7r0A-zIyGdk3_cJ5Yw1pTn";
    private static final String HASH = TokenHash.of(Token.of(TOKEN)).text();

    private Certificates certificates;
    private TestRelay relay;
    private AdminServer admin;

    @BeforeEach
    void makeCertificates() throws Exception {
        certificates = new Certificates();
    }

    private void start(TlsProvider provider) throws Exception {
        relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(TLS_FILES, mutual())
                .set(TLS_PUBLISH_PORT, 0)
                .set(TLS_SUBSCRIBE_PORT, 0)
                .set(TLS_PROVIDER, provider));
        admin = AdminServer.start(relay.relay(), AdminConfig.parse("https://127.0.0.1:0", HASH));
    }

    /** The relay asks for certificates of clients; its admin port does not. */
    private TlsFiles mutual() {
        try {
            return certificates.mutual(false);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void stop() throws IOException {
        if (relay != null) {
            relay.close();
            admin.close();
        }
        certificates.close();
    }

    private SSLSocket connect(SSLContext client) throws IOException {
        SSLSocket socket = TlsBridge.connect(client, admin.address(), 0);
        socket.setSoTimeout(Await.LIMIT_MILLIS);
        return socket;
    }

    private Http.Reply get(String path, String... headers) throws Exception {
        try (SSLSocket socket = connect(certificates.client())) {
            socket.getOutputStream().write(Http.request("GET", path, headers).getBytes(StandardCharsets.US_ASCII));
            return Http.reply(socket);
        }
    }

    @ConcurrentTest
    void oneThatCannotListenKeepsNoMemory() throws Exception {
        start(TlsProvider.AUTO);
        long before = relay.stats().memory().get(Part.TLS);
        AdminConfig taken =
                AdminConfig.parse("https://127.0.0.1:" + admin.address().getPort(), HASH);
        assertThatThrownBy(() -> AdminServer.start(relay.relay(), taken))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen on " + admin.address().getHostString() + ":" + taken.port() + ":");
        assertThat(relay.stats().memory().get(Part.TLS)).isEqualTo(before);
    }

    @ConcurrentTest.Parameterized
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void everyPath(TlsProvider provider) throws Exception {
        start(provider);
        String token = Http.bearer(TOKEN);
        for (String path : List.of("/", "/page.js", "/metrics", "/config", "/connections", "/health/ready")) {
            Http.Reply reply = get(path, token);
            assertThat(reply.status()).as(path).isEqualTo(200);
            assertThat(reply.body()).as(path).isNotEmpty();
        }
        assertThat(get("/config", token).body())
                .contains("\"tls\":true")
                .doesNotContain(TOKEN, HASH, "PRIVATE")
                .contains("\"certificate\":\"");
        assertThat(get("/metrics").status()).isEqualTo(401);
        assertThat(admin.place())
                .isEqualTo("https://127.0.0.1:" + admin.address().getPort() + "/");
        try (AdminServer everywhere = AdminServer.start(relay.relay(), AdminConfig.parse("https://0.0.0.0:0", HASH))) {
            assertThat(everywhere.place())
                    .isEqualTo("https://0.0.0.0:" + everywhere.address().getPort() + "/");
        }
        try (SSLSocket events = connect(certificates.client())) {
            events.getOutputStream().write(Http.request("GET", "/events", token).getBytes(StandardCharsets.US_ASCII));
            byte[] some = events.getInputStream().readNBytes(200);
            assertThat(new String(some, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 200 OK");
        }
    }

    @ConcurrentTest
    void itHasTheRelaysCertificate() throws Exception {
        start(TlsProvider.AUTO);
        relay.relay()
                .reload(RelayConfig.builder()
                        .set(TLS_FILES, certificates.relayFiles(certificates.relay("CN=fresh")))
                        .build());
        try (SSLSocket socket = connect(certificates.client())) {
            X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            assertThat(shown.getSubjectX500Principal().getName()).isEqualTo("CN=fresh");
        }
    }

    /** Netty's words have what the client has sent: it may be a token. */
    @ConcurrentTest
    void aTokenInTheClearIsNotTold() {
        assertThat(TlsFailure.describe(new NotSslRecordException("not an SSL/TLS record: 474554")))
                .isEqualTo("the client does not speak TLS");
    }

    /** Who speaks no TLS, nothing, or rubbish: each is counted once, and neither the port nor the relay notices. */
    @ConcurrentTest
    void wrongOnes() throws Exception {
        start(TlsProvider.AUTO);
        InetSocketAddress at = admin.address();
        try (Neighbours neighbours = new Neighbours(relay)) {
            for (String bytes : List.of(
                    Http.request("GET", "/metrics", Http.bearer(TOKEN)), "\u0016\u0003\u0001\u0000\u0004abcd")) {
                long before = relay.stats().get(Counter.ADMIN_REFUSED);
                try (Socket socket = Http.ask(at, bytes)) {
                    assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(20);
                }
                Await.until("it is counted", () -> relay.stats().get(Counter.ADMIN_REFUSED) == before + 1);
            }
            // More silent ones than there are places: they make room.
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                silent.add(Http.connect(at));
            }
            assertThat(get("/health/ready").status()).isEqualTo(200);
            for (Socket socket : silent) {
                assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(500);
                socket.close();
            }
            neighbours.assertUnaffected();
        }
    }

    /** Told in the clear: what stands before TLS is the proxy's, and not the client's. */
    @ConcurrentTest
    void aProxysHeaderBeforeTls() throws Exception {
        start(TlsProvider.AUTO);
        String[] versions = {"1", "2"};
        byte[][] headers = {Strange.proxiedByLine(Strange.clientHello(500)), Strange.proxied(Strange.clientHello(500))};
        for (int i = 0; i < headers.length; i++) {
            Http.send(admin.address(), new String(headers[i], StandardCharsets.ISO_8859_1))
                    .assertIs(400, "UNSUPPORTED: the PROXY protocol, version " + versions[i]);
        }
        assertThat(relay.stats().get(Counter.ADMIN_REFUSED)).isEqualTo(2);
    }

    @ConcurrentTest
    void itsMemoryIsPutAside() throws Exception {
        start(TlsProvider.AUTO);
        assertThat(relay.stats().memory().get(Part.TLS)).isGreaterThan(64L * (70 << 10));
        try (TestRelay without = TestRelay.start(Setting.NIO_TCP)) {
            assertThatThrownBy(() -> AdminServer.start(without.relay(), AdminConfig.parse("https://127.0.0.1:0", null)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("started without TLS");
        }
    }
}

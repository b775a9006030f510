package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Http;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Whatever the admin port is sent: it says why not, counts it, answers others, and the relay relays on. */
class AdminPortTest {
    private static final String HEAD = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n";

    private final List<Socket> crowd = new ArrayList<>();
    private Attack attack;
    private AdminServer admin;
    private InetSocketAddress at;

    @BeforeEach
    void start() throws Exception {
        attack = new Attack(b -> b);
        admin = AdminServer.start(attack.relay.relay(), AdminConfig.parse("127.0.0.1:0", null));
        at = admin.address();
        attack.pair.begin();
    }

    @AfterEach
    void nobodyElseHasNoticed() throws Exception {
        try {
            assertAnswers();
            for (Socket socket : crowd) {
                socket.close();
            }
            attack.end("admin port");
            attack.pair.finish();
        } finally {
            attack.close();
            admin.close();
        }
    }

    private Socket connect() throws IOException {
        Socket socket = Http.connect(at);
        crowd.add(socket);
        return socket;
    }

    private long refused() {
        return attack.relay.stats().get(Counter.ADMIN_REFUSED);
    }

    private void assertAnswers() throws IOException {
        assertThat(Http.get(at, "/health/ready").status()).isEqualTo(200);
    }

    /** All of them beside one pair: each takes a moment, and the pair is looked at for a second. */
    @ConcurrentTest
    void isRefusedWithAReason() throws Exception {
        String get = "GET /metrics HTTP/1.1\r\n";
        expect(
                "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
                405,
                "only GET, HEAD, not POST");
        expect("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "only GET, HEAD, not OPTIONS");
        expect("CONNECT evil:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "only GET, HEAD, not CONNECT");
        expect(get + "Host: evil.example\r\n\r\n", 421, "Host 'evil.example' is neither");
        expect(get + "\r\n", 400, "0 Host headers instead of one");
        expect(HEAD + "Host: evil\r\n\r\n", 400, "2 Host headers instead of one");
        expect(HEAD + "Content-Length: 1\r\n\r\nx", 413, "no body");
        expect(HEAD + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 413, "no body");
        expect(HEAD + "Content-Length: -1\r\n\r\n", 400, "no HTTP request");
        expect(HEAD + "Content-Length: 99999999999999999999\r\n\r\n", 400, "no HTTP request");
        expect("hello\r\n\r\n", 400, "no HTTP request");
        // TLS where there is none.
        expect("\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n", 400, "no HTTP request");
        // Nine kilobytes of headers.
        expect(HEAD + "X: " + "x".repeat(9 << 10) + "\r\n\r\n", 431, "headers of more than 8192 bytes");
        StringBuilder many = new StringBuilder(HEAD);
        for (int i = 0; i < 2000; i++) {
            many.append("X").append(i).append(": y\r\n");
        }
        expect(many + "\r\n", 431, "headers of more than 8192 bytes");
        expect("GET /" + "x".repeat(9 << 10) + " HTTP/1.1\r\n\r\n", 414, "a first line of more than 4096 bytes");
        Http.send(at, HEAD + "X: " + "x".repeat(7 << 10) + "\r\n\r\n").is(200);
    }

    private void expect(String request, int status, String words) throws IOException {
        long before = refused();
        assertThat(Http.send(at, request).is(status).body()).as(request).contains(words);
        assertThat(refused()).as(request).isEqualTo(before + 1);
        assertAnswers();
    }

    /** Endless headers, and an endless body: what is kept of them does not grow, and it ends. */
    @ConcurrentTest
    void whatDoesNotEnd() throws Exception {
        byte[] more = "x".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);
        for (String begin : List.of(HEAD + "X: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n")) {
            Socket socket = connect();
            socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
            assertThatIOException().isThrownBy(() -> {
                while (true) {
                    socket.getOutputStream().write(more);
                }
            });
        }
        assertThat(refused()).isEqualTo(2);
    }

    @ConcurrentTest
    void slowlorisAndSilence() throws Exception {
        Socket silent = connect();
        for (int i = 0; i < 60; i++) {
            connect();
        }
        long start = System.nanoTime();
        for (int step = 0; refused() < crowd.size(); step++) {
            for (Socket slow : crowd.subList(1, crowd.size())) {
                try {
                    slow.getOutputStream().write(HEAD.charAt(step % HEAD.length()));
                } catch (IOException over) {
                    // Its answer is looked at below.
                }
            }
            assertAnswers();
            Await.staysTrue(100, () -> refused() < crowd.size());
        }
        assertThat(System.nanoTime() - start).isGreaterThan(4_000_000_000L);
        assertThat(Http.reply(silent).is(408).body()).contains("no whole request within 5 s");
    }

    /** Those that have been silent for longest make room. */
    @ConcurrentTest
    void aThousandConnections() throws Exception {
        ThisMachine.needFiles(2 * 1000);
        for (int i = 0; i < 1000; i++) {
            connect();
            if (i % 100 == 0) {
                assertAnswers();
            }
        }
        Await.until(() -> refused() + " refused", () -> refused() >= 1000 - 64);
        assertAnswers();
        assertThat(Http.get(at, "/metrics").body()).contains("relay_admin_refused_total");
    }

    /** Requests behind the first one are not answered: a connection has one. */
    @ConcurrentTest
    void aThousandRequestsAtOnce() throws Exception {
        String all = (HEAD + "\r\n").repeat(1000);
        String body = Http.send(at, all).is(200).body();
        assertThat(body.split("# HELP relay_messages_in_total ")).hasSize(2);
        assertThat(refused()).isZero();
    }
}

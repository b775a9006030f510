package dev.msgrelay.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.harness.TestRelay;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP as load balancers, monitors and proxies speak it: RFC 9110 and 9112. One relay for all. */
class LoadBalancerHttpTest {
    private static TestRelay relay;
    private static AdminServer admin;
    private static InetSocketAddress at;

    @BeforeAll
    static void start() throws IOException {
        relay = TestRelay.start(Setting.NIO_TCP);
        admin = AdminServer.start(relay.relay(), AdminConfig.parse("127.0.0.1:0", null));
        at = admin.address();
    }

    @AfterAll
    static void stop() throws IOException {
        relay.close();
        admin.close();
    }

    private static Http.Reply send(String head) throws IOException {
        return Http.send(at, head.replace("\n", "\r\n") + "\r\n\r\n");
    }

    @Test
    void anOldRequestNeedsNoHost() throws Exception {
        Http.Reply reply = send("GET /health/ready HTTP/1.0");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body()).contains("\"status\":\"ready\"");
        assertThat(reply.header("Transfer-Encoding")).isEmpty();
        assertThat(send("GET /metrics HTTP/1.0\nHost: localhost\nHost: localhost")
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/health/live", "/health/ready", "/config", "/page.js"})
    void headIsGetWithoutABody(String path) throws Exception {
        Http.Reply get = send("GET " + path + " HTTP/1.1\nHost: localhost");
        Http.Reply head = send("HEAD " + path + " HTTP/1.1\nHost: localhost");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.head()).isEqualTo(get.head());
    }

    @ParameterizedTest
    @CsvSource({"/metrics, text/plain", "/connections, application/json", "/events, text/event-stream"})
    void headOfWhatChangesOrHasNoEnd(String path, String type) throws Exception {
        Http.Reply head = send("HEAD " + path + " HTTP/1.1\nHost: localhost");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("Content-Type")).startsWith(type);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void headOfWhatIsRefusedHasNoBodyEither() throws Exception {
        for (String request : new String[] {
            "HEAD /nothing HTTP/1.1\nHost: localhost",
            "HEAD /metrics HTTP/1.1\nHost: evil.example",
            "HEAD /metrics HTTP/1.1",
            "HEAD /reload HTTP/1.1\nHost: localhost"
        }) {
            Http.Reply reply = send(request);
            assertThat(reply.status()).as(request).isBetween(400, 421);
            assertThat(reply.body()).as(request).isEmpty();
        }
        assertThat(send("HEAD /reload HTTP/1.1\nHost: localhost").header("Allow"))
                .isEqualTo("POST");
        assertThat(send("PUT /metrics HTTP/1.1\nHost: localhost").header("Allow"))
                .isEqualTo("GET, HEAD");
    }

    /** RFC 9112, 3.2.2: the header is ignored where the target names a host, but has to be there. */
    @ParameterizedTest
    @CsvSource({
        "GET http://localhost:7402/health/ready HTTP/1.1, localhost, 200",
        "GET HTTP://LOCALHOST/health/ready?x=y HTTP/1.1, localhost, 200",
        "GET https://127.0.0.1/health/ready HTTP/1.1, localhost, 200",
        "GET http://localhost HTTP/1.1, localhost, 200",
        "GET http://localhost?x HTTP/1.1, localhost, 200",
        "GET http://localhost/nothing HTTP/1.1, localhost, 404",
        "GET http://evil.example/health/ready HTTP/1.1, localhost, 421",
        "GET http://localhost@evil.example/health/ready HTTP/1.1, localhost, 421",
        "GET http://evil.example@localhost/health/ready HTTP/1.1, localhost, 421",
        "GET http:///health/ready HTTP/1.1, localhost, 421",
        "GET ftp://localhost/health/ready HTTP/1.1, localhost, 404",
        "GET http://localhost/metrics HTTP/1.1, evil.example, 200",
        "GET http://localhost/metrics HTTP/1.1, , 400",
        "GET http://localhost/metrics HTTP/1.0, , 200",
        "GET http://evil.example/metrics HTTP/1.0, , 421",
        // Where an old request says a host, that one counts.
        "GET /metrics HTTP/1.0, evil.example, 421",
        "GET /health/ready HTTP/1.1, , 400",
        "GET /metrics HTTP/1.1, LocalHost:7402, 200",
        "GET /metrics HTTP/1.1, 10.1.2.3, 200",
        "GET /metrics HTTP/1.1, [::1]:7402, 200",
        "GET /metrics HTTP/1.1, evil.example, 421",
        "GET /metrics HTTP/1.1, localhost.evil.example, 421",
        "GET /metrics HTTP/1.1, 127.0.0.1.evil.example, 421",
        "GET /metrics HTTP/1.1, [::1].evil.example, 421",
        "GET /metrics HTTP/1.1, '', 421",
        "GET /metrics HTTP/1.1, a b, 421",
        // With the dot of a whole name.
        "GET /metrics HTTP/1.1, localhost., 200",
        "GET /metrics HTTP/1.1, 127.0.0.1., 200",
        "GET /metrics HTTP/1.1, localhost.., 421",
        "GET /metrics HTTP/1.1, ., 421",
        "GET /metrics HTTP/1.1, evil.example., 421",
    })
    void theNameThatItIsAskedUnder(String line, String host, int status) throws Exception {
        assertThat(send(line + (host == null ? "" : "\nHost: " + host)).status())
                .isEqualTo(status);
    }

    @Test
    void aTokenIsAskedForInEveryForm() throws Exception {
        AdminConfig withToken =
                AdminConfig.parse("127.0.0.1:0", TokenHash.of(Token.of("abc")).text());
        try (AdminServer secured = AdminServer.start(relay.relay(), withToken)) {
            for (String request : new String[] {
                "HEAD /metrics HTTP/1.1\r\nHost: localhost",
                "GET /metrics HTTP/1.0",
                "GET http://localhost/metrics HTTP/1.1\r\nHost: localhost",
                "GET http://localhost/health/../metrics HTTP/1.1\r\nHost: localhost",
                "POST http://localhost/reload HTTP/1.1\r\nHost: localhost"
            }) {
                assertThat(Http.send(secured.address(), request + "\r\n\r\n").status())
                        .as(request)
                        .isIn(401, 404)
                        .isNotEqualTo(200);
            }
            assertThat(Http.send(secured.address(), "GET http://localhost/health/live HTTP/1.1\r\nHost: x\r\n\r\n")
                            .status())
                    .isEqualTo(200);
        }
    }

    /** Headers that proxies obey: an event is handed on as it comes, and what else there is stays as it was. */
    @Test
    void eventsAreNotGatheredOnTheWay() throws Exception {
        Http.Reply head = send("HEAD /events HTTP/1.1\nHost: localhost");
        assertThat(head.header("X-Accel-Buffering")).isEqualTo("no");
        assertThat(head.header("Cache-Control").split(", ")).contains("no-store", "no-cache", "no-transform");
        String request = "GET /events HTTP/1.0\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
        try (Socket socket = Http.ask(at, request)) {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            List<String> headers = new ArrayList<>();
            for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
                headers.add(line.toLowerCase(Locale.ROOT));
            }
            assertThat(headers)
                    .contains("x-accel-buffering: no", "content-type: text/event-stream")
                    .noneMatch(line -> line.startsWith("content-encoding"));
            assertThat(lines.readLine()).isEqualTo("event: about");
        }
        assertThat(send("HEAD /connections HTTP/1.1\nHost: localhost").header("X-Accel-Buffering"))
                .isEmpty();
    }

    /** What came back for bytes that come one at a time, and in one piece. */
    private static List<Http.Reply> sendInPieces(byte[] bytes) throws IOException {
        List<Http.Reply> replies = new ArrayList<>();
        for (int piece : new int[] {1, bytes.length}) {
            try (Socket socket = Http.connect(at)) {
                socket.setTcpNoDelay(true);
                for (int i = 0; i < bytes.length; i += piece) {
                    socket.getOutputStream().write(bytes, i, piece);
                }
                replies.add(Http.reply(socket));
            }
        }
        return replies;
    }

    @Test
    void whatIsNoHttpIsNamed() throws Exception {
        byte[] request = Strange.ascii("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
        Map<String, byte[]> strangers = Map.of(
                "UNSUPPORTED: the PROXY protocol, version 2", Strange.proxied(request),
                "UNSUPPORTED: the PROXY protocol, version 1", Strange.proxiedByLine(request),
                "this is no HTTP request: it begins as TLS does", Strange.clientHello(60),
                "this is no HTTP request: it begins as SSH does", Strange.ascii("SSH-2.0-OpenSSH_9.6\r\n"));
        for (Map.Entry<String, byte[]> each : strangers.entrySet()) {
            for (Http.Reply reply : sendInPieces(each.getValue())) {
                reply.assertIs(400, each.getKey());
            }
        }
        for (Http.Reply reply : sendInPieces(request)) {
            assertThat(reply.status()).isEqualTo(200);
        }
        // Empty lines before a request, as old clients send them.
        for (Http.Reply reply : sendInPieces(Strange.ascii("\r\n\r\nGET /health/live HTTP/1.0\r\n\r\n"))) {
            assertThat(reply.status()).isEqualTo(200);
        }
    }

    private static final String OPEN = "application/openmetrics-text";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "| text/plain",
                "*/* | text/plain",
                "text/html | text/plain",
                "application/openmetrics-text | application/openmetrics-text",
                "application/openmetrics-text; version=1.0.0; q=0.5, text/plain; version=0.0.4; q=0.8 | text/plain",
                "text/plain;q=0.5,application/openmetrics-text;version=1.0.0;q=0.75 | application/openmetrics-text",
                "application/openmetrics-text;q=0, text/plain | text/plain",
                "application/openmetrics-text;q=0, */* | text/plain",
                "; | text/plain",
                "application/openmetrics-text, ; | application/openmetrics-text",
                "text/*;q=0.1, APPLICATION/OpenMetrics-Text;Q=0.2 | application/openmetrics-text",
                "application/*, text/plain;q=0.9 | application/openmetrics-text",
                "*/*;q=1, application/openmetrics-text;q=0.3 | text/plain",
                "text/plain;version=0.0.4, application/openmetrics-text | application/openmetrics-text",
                "application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,"
                        + "text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
                        + " | application/openmetrics-text",
            })
    void theOneThatIsWantedMore(String accept, String type) throws Exception {
        Http.Reply reply =
                send("GET /metrics HTTP/1.1\nHost: localhost" + (accept == null ? "" : "\nAccept: " + accept));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).startsWith(type + ";");
    }

    @Test
    void severalHeadersAreOne() throws Exception {
        Http.Reply reply = send("GET /metrics HTTP/1.1\nHost: localhost\nAccept: text/plain;q=0.5\nAccept: " + OPEN);
        assertThat(reply.header("Content-Type")).startsWith(OPEN);
    }
}

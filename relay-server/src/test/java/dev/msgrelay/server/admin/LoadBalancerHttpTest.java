package dev.msgrelay.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.io.IOException;
import java.net.InetSocketAddress;
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
        assertThat(send("GET /health/ready HTTP/1.1").status()).isEqualTo(400);
    }

    /** Where it says one, that one counts; a page of somebody else's gets nowhere by an old version. */
    @Test
    void anOldRequestWithAHostIsAskedForIt() throws Exception {
        assertThat(send("GET /metrics HTTP/1.0\nHost: localhost").status()).isEqualTo(200);
        assertThat(send("GET /metrics HTTP/1.0\nHost: evil.example").status()).isEqualTo(421);
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

    @ParameterizedTest
    @CsvSource({
        "http://localhost:7402/health/ready, 200",
        "HTTP://LOCALHOST/health/ready?x=y, 200",
        "https://127.0.0.1/health/ready, 200",
        "http://[::1]:7402/health/ready, 200",
        "http://localhost, 200",
        "http://localhost?x, 200",
        "http://localhost/nothing, 404",
        "http://evil.example/health/ready, 421",
        "http://localhost@evil.example/health/ready, 421",
        "http://evil.example@localhost/health/ready, 421",
        "http:///health/ready, 421",
        "ftp://localhost/health/ready, 404",
    })
    void theAbsoluteForm(String target, int status) throws Exception {
        assertThat(send("GET " + target + " HTTP/1.1\nHost: localhost").status())
                .isEqualTo(status);
    }

    /** RFC 9112, 3.2.2: the header is ignored there, but has to be there. */
    @Test
    void theTargetsHostCountsBeforeTheHeader() throws Exception {
        assertThat(send("GET http://localhost/metrics HTTP/1.1\nHost: evil.example")
                        .status())
                .isEqualTo(200);
        assertThat(send("GET http://localhost/metrics HTTP/1.1").status()).isEqualTo(400);
        assertThat(send("GET http://localhost/metrics HTTP/1.0").status()).isEqualTo(200);
        assertThat(send("GET http://evil.example/metrics HTTP/1.0").status()).isEqualTo(421);
    }

    @Test
    void aTokenIsAskedForInEveryForm() throws Exception {
        AdminServer secured = AdminServer.start(
                relay.relay(),
                AdminConfig.parse(
                        "127.0.0.1:0", "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        try {
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
        } finally {
            secured.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost., 200",
        "LOCALHOST.:7402, 200",
        "127.0.0.1., 200",
        "localhost.., 421",
        "., 421",
        "evil.example., 421",
        "localhost.evil.example., 421",
    })
    void aNameWithTheDotOfAWholeOne(String host, int status) throws Exception {
        assertThat(send("GET /metrics HTTP/1.1\nHost: " + host).status()).isEqualTo(status);
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
                "application/openmetrics-text;q=0.0 | text/plain",
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

package dev.msgrelay.server.admin;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.admin.AdminServer.Reload;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.AdminConfig.Secret;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What there is at the admin port, and who gets it. */
class AdminServerTest {
    private static final String TOKEN = "Xq7r0A-zIyGdk3_cJ5Yw1pTn";
    private static final String HASH = TokenHash.of(Token.of(TOKEN)).text();
    private static final String EVENTS = Http.request("GET", "/events");
    private static final String RIGHT = Http.bearer(TOKEN);

    private TestRelay relay;
    private AdminServer admin;
    private InetSocketAddress at;

    @BeforeEach
    void start() throws IOException {
        relay = TestRelay.start(Setting.NIO_TCP);
        start(null);
    }

    private void start(String token) throws IOException {
        use(AdminServer.start(relay.relay(), AdminConfig.parse("127.0.0.1:0", token)));
    }

    private void start(String token, Supplier<Reload> configuration) throws IOException {
        use(AdminServer.start(relay.relay(), AdminConfig.parse("127.0.0.1:0", token), configuration));
    }

    private void use(AdminServer started) {
        if (admin != null) {
            admin.close();
        }
        admin = started;
        at = admin.address();
    }

    @AfterEach
    void stop() throws IOException {
        relay.close();
        admin.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/, text/html; charset=utf-8",
        "/?a=b, text/html; charset=utf-8",
        "/page.js, text/javascript; charset=utf-8",
        "/plot.js, text/javascript; charset=utf-8",
        "/page.css, text/css; charset=utf-8",
        "/favicon.svg, image/svg+xml",
        "/metrics, text/plain; version=0.0.4; charset=utf-8",
        "/health/live, application/json",
        "/health/ready, application/json",
        "/config, application/json",
        "/status, application/json",
        "/connections, application/json",
    })
    void everyPath(String path, String type) throws Exception {
        Http.Reply reply = Http.get(at, path);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo(type);
        assertThat(reply.header("Content-Security-Policy")).startsWith("default-src 'self';");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
        assertThat(reply.header("Connection")).isEqualTo("close");
        assertThat(reply.body()).isNotEmpty();
        assertThat(relay.stats().get(Counter.ADMIN_REFUSED)).isZero();
    }

    private int status(String path, String... headers) throws IOException {
        return Http.get(at, path, headers).status();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/page.html", "/../etc/passwd", "/page.js/", "*", "//"})
    void otherPathsAreNotThere(String path) throws Exception {
        Http.Reply reply = Http.get(at, path);
        reply.assertIs(404, "there is no such page; there are\n");
        assertThat(reply.body()).contains("\n  /status ", "\n  /health/ready ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ready", "/live"})
    void healthWithoutItsFolderIsTold(String path) throws Exception {
        assertThat(Http.get(at, path).body()).startsWith("it is at /health" + path + "; there are\n");
    }

    @Test
    void thePageExplainsTheOthers() throws Exception {
        String page = Http.get(at, "/").body();
        assertThat(page)
                .doesNotContain("{{")
                .contains("<noscript>", "<a href=\"status\">/status</a> the page's figures");
        Http.get(at, "/nothing")
                .body()
                .lines()
                .skip(2)
                .map(line -> line.strip().split(" ", 2)[0])
                .forEach(path -> {
                    assertThat(page).contains("<a href=\"" + path.substring(1) + "\">");
                });
    }

    @Test
    void theStatus(@TempDir Path directory) throws Exception {
        Path root = Files.createDirectories(directory.resolve("proc/sys/kernel"));
        Files.writeString(root.resolve("hostname"), "alder\n");
        Answers answers = new Answers(relay.relay(), AdminConfig.parse("127.0.0.1:0", null), new SystemTree(directory));
        JsonObject first = JsonParser.object().from(answers.of("/status", "").bodyText());
        assertThat(first.getString("host")).isEqualTo("alder");
        assertThat(first.has("rate")).isFalse();
        assertThat(first.isNull("journal")).isTrue();
        assertThat(first.has("tlsValidSeconds")).isFalse();
        int port = relay.relay().publishAddress().getPort();
        assertThat(first.getArray("ports"))
                .contains(JsonParser.object()
                        .from("{\"for\":\"publish\",\"by\":\"plain\",\"address\":\"127.0.0.1:" + port + "\"}"));
        answers.sample();
        try (PlainPublisher publisher = relay.publisher()) {
            publisher.send(new Frames().frame(7, 10));
            relay.awaitMessagesIn(1);
            answers.sample();
        }
        JsonObject about =
                JsonParser.object().from(new String(answers.about(), StandardCharsets.US_ASCII).split("data: ")[1]);
        assertThat(about.getString("host")).isEqualTo("alder");
        assertThat(about.getArray("rates")).hasSize(1);
        assertThat(about.getArray("rates").getObject(0).getDouble("messagesInPerSecond"))
                .isPositive();
        JsonObject now = JsonParser.object().from(Http.get(at, "/status").body());
        assertThat(now.getLong("messagesIn")).isEqualTo(1);
        assertThat(now.getLong("logBytes")).isEqualTo(18);
        assertThat(now.getLong("behind")).isZero();
    }

    /** Nothing on the page comes from elsewhere, and nothing in it is a script or a style of its own. */
    @Test
    void thePageKeepsToItsPolicy() throws Exception {
        String page = Http.get(at, "/").body();
        assertThat(page).doesNotContain("http:", "https:", "<style", "style=", "onclick", "onload", "javascript:");
        assertThat(page).containsPattern("<script src=\"page.js\" defer></script>");
        assertThat(page).contains("<script src=\"plot.js\" defer></script>");
        assertThat(Http.get(at, "/page.js").body() + Http.get(at, "/plot.js").body())
                .doesNotContain("innerHTML", "insertAdjacentHTML", "eval(", "http:");
    }

    @Test
    void healthFollowsTheRelay() throws Exception {
        assertThat(Http.get(at, "/health/live").body()).isEqualTo("{\"status\":\"live\"}\n");
        assertThat(Http.get(at, "/health/ready").body()).isEqualTo("{\"status\":\"ready\"}\n");
        relay.relay().close();
        Http.get(at, "/health/ready").assertIs(503, "{\"status\":\"ending\"}\n");
        assertThat(Http.get(at, "/metrics").body()).contains("\nrelay_ready 0.0\n");
    }

    @Test
    void beforeThereIsARelayItRecovers() throws Exception {
        try (AdminServer early = AdminServer.startBefore(AdminConfig.parse("127.0.0.1:0", null), Optional.empty())) {
            InetSocketAddress there = early.address();
            assertThat(Http.get(there, "/health/live").status()).isEqualTo(200);
            early.recovering(3, 800);
            for (String path : List.of("/health/ready", "/metrics", "/", "/connections", "/events", "/nothing")) {
                Http.get(there, path)
                        .assertIs(503, "{\"status\":\"recovering\",\"segmentsLookedAt\":3,\"segments\":800}\n");
            }
            early.serve(relay.relay());
            assertThat(Http.get(there, "/health/ready").body()).isEqualTo("{\"status\":\"ready\"}\n");
            assertThat(Http.get(there, "/metrics").status()).isEqualTo(200);
        }
    }

    @Test
    void healthAloneAtAPortOfItsOwn() throws Exception {
        try (AdminServer health = AdminServer.startBefore(AdminConfig.health(":0"), Optional.empty())) {
            assertThat(health.address().getAddress().isAnyLocalAddress()).isTrue();
            InetSocketAddress there =
                    new InetSocketAddress("127.0.0.1", health.address().getPort());
            assertThat(Http.get(there, "/health/live").status()).isEqualTo(200);
            assertThat(Http.get(there, "/health/ready").status()).isEqualTo(503);
            health.serve(relay.relay());
            Http.send(there, "GET /health/ready HTTP/1.1\r\nHost: relay-0.relay\r\n\r\n")
                    .assertIs(200, "{\"status\":\"ready\"}\n");
            for (String path : List.of("/", "/metrics", "/connections", "/config", "/events", "/health/config")) {
                assertThat(Http.get(there, path).status()).as(path).isEqualTo(404);
            }
            assertThat(Http.post(there, "/reload").status()).isEqualTo(404);
        }
        for (String wrong : List.of("https://0.0.0.0:7403", "none", "a:b", "127.0.0.1:99999")) {
            assertThatThrownBy(() -> AdminConfig.health(wrong)).hasMessageStartingWith("health ");
        }
    }

    @Test
    void aPortWithoutAColonIsOnThisHostAlone() {
        assertThat(AdminConfig.health("7403").host()).isEqualTo("127.0.0.1");
        assertThat(AdminConfig.health(":7403").host()).isEqualTo("0.0.0.0");
        assertThat(AdminConfig.health("0.0.0.0:7403").host()).isEqualTo("0.0.0.0");
    }

    @Test
    void theLastMessages() throws Exception {
        assertThat(Http.get(at, "/peek").body()).isEqualTo("{\"messages\":[]}\n");
        try (PlainPublisher publisher = relay.publisher()) {
            Frames frames = new Frames();
            for (int i = 1; i <= 25; i++) {
                frames.frame(i, 3000);
            }
            publisher.send(frames.header(99, 7).raw("a\\b\n<i>".getBytes(StandardCharsets.US_ASCII)));
            relay.awaitMessagesIn(26);
        }
        // The answer of the last second is told again.
        Await.until("another second", () -> !peeked().isEmpty());
        JsonArray messages = peeked();
        assertThat(messages).hasSize(20);
        JsonObject first = messages.getObject(0);
        assertThat(first.getLong("sequence")).isEqualTo(7);
        assertThat(first.getInt("type")).isEqualTo(7);
        assertThat(first.getInt("length")).isEqualTo(3000);
        JsonObject last = messages.getObject(19);
        assertThat(last.getLong("sequence")).isEqualTo(26);
        assertThat(last.getString("first")).isEqualTo("a\\\\b\\x0a<i>");
    }

    /** Whoever may not subscribe does not peek, whatever the port's own token says. */
    @Test
    void theLastMessagesAreForWhoMaySubscribe() throws Exception {
        start(HASH);
        String writer = "writer { from = 127.0.0.0/8, publish = all }";
        try (PlainPublisher publisher = relay.publisher()) {
            publisher.send(new Frames().frame(7, 1).frame(8, 1));
            relay.awaitMessagesIn(2);
        }
        assertThat(status("/peek")).isEqualTo(401);
        assertThat(peeked(RIGHT)).hasSize(2);
        reloadAccess(writer + ", reader { token = " + TOKEN + ", subscribe = 7 }");
        assertThat(peeked(RIGHT)).hasSize(1);
        reloadAccess(writer);
        Http.get(at, "/peek", RIGHT).assertIs(403, "no identity of this request may subscribe");
    }

    private void reloadAccess(String policy) throws IOException {
        relay.relay()
                .reload(RelayConfig.builder().set(ACCESS, Policies.of(policy)).build());
    }

    private JsonArray peeked(String... headers) {
        try {
            Http.Reply reply = Http.get(at, "/peek", headers);
            assertThat(reply.status()).as(reply.body()).isEqualTo(200);
            return JsonParser.object().from(reply.body()).getArray("messages");
        } catch (IOException | JsonParserException e) {
            throw new AssertionError(e);
        }
    }

    /** More than one chunk of the answer: each of them once. */
    @Test
    void connections() throws Exception {
        try (PlainPublisher publisher = relay.publisher()) {
            publisher.send(new Frames().frame(7, 10));
            relay.awaitMessagesIn(1);
            for (int i = 0; i < 150; i++) {
                relay.subscriber();
            }
            Http.Reply reply = Http.get(at, "/connections");
            assertThat(reply.header("Transfer-Encoding")).isEqualTo("chunked");
            JsonArray rows = JsonParser.object().from(unchunked(reply.body())).getArray("connections");
            assertThat(rows).hasSize(151);
            assertThat(rows.stream()
                            .map(row -> ((JsonObject) row).getLong("id"))
                            .distinct())
                    .hasSize(151);
            JsonObject first = rows.getObject(0);
            assertThat(first.getString("role")).isEqualTo("publisher");
            assertThat(first.getString("state")).isEqualTo("plain");
            assertThat(first.getLong("messages")).isEqualTo(1);
            assertThat(rows.getObject(1).getLong("lagBytes")).isZero();
        }
    }

    /** Clients of old know no chunks: the end of the connection is the end of the list. */
    @Test
    void connectionsForHttp10() throws Exception {
        relay.subscriber();
        Http.Reply reply = Http.send(at, "GET /connections HTTP/1.0\r\nHost: localhost\r\n\r\n");
        assertThat(reply.header("Transfer-Encoding")).isEmpty();
        assertThat(JsonParser.object().from(reply.body()).getArray("connections"))
                .hasSize(1);
    }

    private static String unchunked(String body) {
        StringBuilder whole = new StringBuilder();
        int at = 0;
        while (true) {
            int end = body.indexOf("\r\n", at);
            int bytes = Integer.parseInt(body.substring(at, end), 16);
            if (bytes == 0) {
                return whole.toString();
            }
            whole.append(body, end + 2, end + 2 + bytes);
            at = end + 2 + bytes + 2;
        }
    }

    @Test
    void config() throws Exception {
        start(HASH);
        String text = Http.get(at, "/config", RIGHT).body();
        JsonObject config = JsonParser.object().from(text);
        JsonObject settings = config.getObject("relay");
        assertThat(settings.getObject("stream").getLong("logBytes")).isEqualTo(8 << 20);
        assertThat(settings.getObject("clients").getString("slowSubscriber")).isEqualTo("disconnect");
        assertThat(settings.getString("drainTimeout")).isEqualTo("1m");
        assertThat(settings.getObject("listen").getString("publishSocket")).isNull();
        assertThat(config.getObject("admin").getString("token")).isEqualTo("set");
        assertThat(text).doesNotContain(TOKEN, HASH, "sha256");
    }

    @Test
    void settingsThatSoundLikeSecretsAreMarked() throws Exception {
        List<String> unmarked = new ArrayList<>();
        unmarked(RelayConfig.class, unmarked);
        unmarked(AdminConfig.class, unmarked);
        assertThat(unmarked).isEmpty();
    }

    private static void unmarked(Class<?> settings, List<String> unmarked) {
        for (RecordComponent component : settings.getRecordComponents()) {
            boolean secret = component.isAnnotationPresent(Secret.class);
            if (component.getType() == String.class
                    && component.getName().matches("(?i).*(token|secret|password|passphrase|key|credential).*")
                    && !secret) {
                unmarked.add(settings.getSimpleName() + "." + component.getName());
            }
            if (component.getType().isRecord()) {
                unmarked(component.getType(), unmarked);
            }
        }
    }

    @Test
    void events() throws Exception {
        try (Socket socket = Http.ask(at, EVENTS)) {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            JsonObject about = event(lines, "about");
            // What only a journal or a state has is not told of a relay that has none.
            List<Counter> counters = Arrays.stream(Counter.values())
                    .filter(c -> !c.ofJournal() && !c.ofState())
                    .toList();
            assertThat(about.getArray("counters")).hasSize(counters.size());
            assertThat(about.getArray("parts")).hasSize(Part.values().length);
            JsonObject first = event(lines, "stats");
            for (Counter counter : counters) {
                assertThat(first.has(counter.key())).as(counter.key()).isTrue();
            }
            try (PlainPublisher publisher = relay.publisher();
                    PlainSubscriber subscriber = relay.subscriber()) {
                publisher.send(new Frames().frame(7, 10));
                relay.awaitMessagesIn(1);
                JsonObject now = stats(lines, stats -> stats.getLong("messagesIn") > 0);
                JsonObject publishing = now.getArray("publishing").getObject(0);
                assertThat(publishing.getString("role")).isEqualTo("publisher");
                assertThat(publishing.getLong("messages")).isEqualTo(1);
                publisher.send(new Frames().header(7, -1));
                relay.awaitClosed(CloseReason.NEGATIVE_LENGTH, 1);
                now = stats(lines, stats -> !stats.getArray("ended").isEmpty());
                assertThat(now.getLong("messagesIn")).isEqualTo(1);
                assertThat(now.getObject("closes").getLong("NEGATIVE_LENGTH")).isEqualTo(1);
                JsonObject ended = now.getArray("ended").getObject(0);
                assertThat(ended.getString("reason")).isEqualTo("NEGATIVE_LENGTH");
                assertThat(ended.getString("who")).startsWith("publisher 127.0.0.1:");
                assertThat(now.getArray("lagging").getObject(0).getString("address"))
                        .startsWith("127.0.0.1:");
                assertThat(now.getDouble("elapsedSeconds")).isGreaterThan(first.getDouble("elapsedSeconds"));
                assertThat(now.getObject("memory").getLong("log")).isEqualTo(8 << 20);
                assertThat(subscriber.received().wrong()).isNull();
            }
        }
    }

    private static JsonObject stats(BufferedReader lines, Predicate<JsonObject> wanted) throws Exception {
        JsonObject now = event(lines, "stats");
        while (!wanted.test(now)) {
            now = event(lines, "stats");
        }
        return now;
    }

    private static JsonObject event(BufferedReader lines, String name) throws Exception {
        String line = lines.readLine();
        while (!line.equals("event: " + name)) {
            line = lines.readLine();
        }
        return JsonParser.object().from(lines.readLine().substring("data: ".length()));
    }

    @Test
    void theSeventeenthStreamIsRefused() throws Exception {
        List<Socket> streams = new ArrayList<>();
        try {
            for (int i = 0; i < AdminServer.MOST_STREAMS; i++) {
                Socket socket = Http.ask(at, EVENTS);
                streams.add(socket);
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            Http.get(at, "/events").assertIs(503, "there are 16 streams");
            assertThat(status("/health/live")).isEqualTo(200);
        } finally {
            for (Socket socket : streams) {
                socket.close();
            }
        }
    }

    @Test
    void tokens() throws Exception {
        start(HASH);
        assertThat(status("/health/ready")).isEqualTo(200);
        assertThat(status("/metrics", RIGHT)).isEqualTo(200);
        assertThat(status("/", basic(TOKEN))).isEqualTo(200);
        for (String wrong : List.of(
                "Accept: */*",
                "Authorization: Bearer",
                RIGHT + "x",
                Http.bearer("x".repeat(3000)),
                "Authorization: Basic !!!",
                basic(""),
                Http.bearer(HASH),
                "Authorization: " + TOKEN)) {
            Http.Reply reply = Http.get(at, "/metrics", wrong);
            assertThat(reply.status()).as(wrong).isEqualTo(401);
            assertThat(reply.header("WWW-Authenticate")).startsWith("Basic realm=\"relay\"");
        }
    }

    private static String basic(String password) {
        byte[] both = ("anyone:" + password).getBytes(StandardCharsets.UTF_8);
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(both);
    }

    @Test
    void whoMayReload() throws Exception {
        AtomicInteger reloads = new AtomicInteger();
        start(HASH, () -> new Reload(reloads.incrementAndGet() > 0, List.of("one", "two")));
        long before = relay.stats().get(Counter.ADMIN_REFUSED);
        String[] wrong = {
            RIGHT + "x", Http.bearer(HASH), "Authorization: Bearer", basic(TOKEN), "Cookie: token=" + TOKEN,
        };
        for (String header : wrong) {
            Http.Reply reply = Http.post(at, "/reload", header);
            assertThat(reply.status()).as(header).isEqualTo(401);
            assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"relay\"");
        }
        assertThat(Http.post(at, "/reload").status()).isEqualTo(401);
        assertThat(Http.post(at, "/reload?token=" + TOKEN).status()).isEqualTo(401);
        for (String path : List.of("/reload", "/reload?x=y")) {
            Http.Reply got = Http.get(at, path, RIGHT);
            assertThat(got.status()).as(path).isEqualTo(405);
            assertThat(got.header("Allow")).isEqualTo("POST");
            assertThat(got.body()).isEqualTo("only POST, not GET\n");
        }
        for (String path : List.of("/", "/metrics", "/config", "/health/live", "/reload/", "//reload", "/nothing")) {
            Http.Reply other = Http.post(at, path, RIGHT);
            assertThat(other.status()).as(path).isEqualTo(405);
            assertThat(other.header("Allow")).isEqualTo("GET, HEAD");
        }
        assertThat(Http.post(at, "/reload", RIGHT, "Content-Length: 1\r\n\r\nx").status())
                .isEqualTo(413);
        assertThat(reloads).hasValue(0);
        assertThat(relay.stats().get(Counter.ADMIN_REFUSED) - before).isEqualTo(wrong.length + 2 + 2 + 7 + 1);
        Http.post(at, "/reload", RIGHT, "Content-Length: 0").assertIs(200, "one\ntwo\n");
        assertThat(reloads).hasValue(1);
    }

    @Test
    void withoutATokenNobodyMayReload() throws Exception {
        start(null, () -> {
            throw new AssertionError("it was reloaded");
        });
        for (String header : List.of("Accept: */*", "Authorization: Bearer " + TOKEN, "Authorization: Bearer ")) {
            Http.post(at, "/reload", header)
                    .assertIs(
                            403, "a reload needs a token, and this port has none: start the relay with --admin-token");
        }
        assertThat(status("/reload?")).isEqualTo(405);
    }

    /** A program that embeds a relay may have nothing to read. */
    @Test
    void withoutAConfigurationThereIsNoReload() throws Exception {
        start(HASH);
        Http.post(at, "/reload", RIGHT).assertIs(503, "this program has no configuration");
    }

    /**
     * One at a time, on a thread of its own: others are answered meanwhile. A fault is told, and the next one can come.
     */
    @Test
    void aSlowReload() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger reloads = new AtomicInteger();
        start(HASH, () -> {
            if (reloads.incrementAndGet() > 1) {
                throw new IllegalStateException("a fault, for a test");
            }
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return new Reload(false, List.of("relay.conf:3: wrong"));
        });
        CompletableFuture<Http.Reply> first = CompletableFuture.supplyAsync(() -> {
            try {
                return Http.post(at, "/reload", RIGHT);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(begun.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        try {
            assertThat(status("/health/live")).isEqualTo(200);
            Http.post(at, "/reload", RIGHT).assertIs(503, "a reload is under way");
        } finally {
            end.countDown();
        }
        first.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS).assertIs(409, "relay.conf:3: wrong\n");
        assertThat(Http.post(at, "/reload", RIGHT).status()).isEqualTo(500);
        assertThat(Http.post(at, "/reload", RIGHT).status()).isEqualTo(500);
        assertThat(reloads).hasValue(3);
    }

    /** The relay's is budgeted to the byte. */
    @Test
    void takesNoDirectMemory() throws Exception {
        long before = PlatformDependent.usedDirectMemory();
        try (Socket stream = Http.ask(at, EVENTS)) {
            assertThat(stream.getInputStream().read()).isEqualTo('H');
            for (String path : new String[] {"/", "/metrics", "/connections", "/config", "/none"}) {
                Http.get(at, path);
                assertThat(PlatformDependent.usedDirectMemory()).as(path).isEqualTo(before);
            }
        }
    }
}

package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.PeekedMessage;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The answer to each path. The relay's connections are read at most about once a second, and the metrics are made at
 * most twice a second. Requests in between get the same data again. Owned by the admin port's thread.
 */
final class Answers {
    /** Most subscribers that an event lists; the same limit holds for publishers. */
    private static final int MOST_LAGGING = 20;

    private static final int MOST_ENDED = 40;

    /** Paths and their content. The page shows them as links, and the answer to an unknown path lists them. */
    private static final String PAGES = """
              /              the page for a browser
              /status        the page's figures, as JSON
              /connections   every connection, as JSON
              /metrics       the figures for Prometheus
              /config        the options of the start, without secrets
              /health/live   200 while the relay runs its cycles; 503: restart it
              /health/ready  200 while clients should connect; 503: they should not
              /events        the figures once a second, as server-sent events
              /peek          the last messages, for whoever may subscribe
            """;

    private static final int MOST_PEEKED = 20;
    private static final int PEEKED_BODY_BYTES = 64;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(900);
    private static final long METRICS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    static final String JSON = "application/json";
    private static final String OPEN_METRICS = "application/openmetrics-text";

    /** @param body shared by requests, so it must not be changed */
    record Answer(HttpResponseStatus status, String type, byte[] body) {
        static Answer text(HttpResponseStatus status, String text) {
            return new Answer(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }

        String bodyText() {
            return new String(body, StandardCharsets.UTF_8).strip();
        }

        static Answer json(HttpResponseStatus status, JsonLine line) {
            return new Answer(status, JSON, (line.toLine() + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    private final RelayServer relay;
    private final AdminConfig config;
    private final String host;
    private final Seconds seconds = new Seconds();
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final Map<String, Answer> files = new HashMap<>();
    private final Map<String, Answer> metrics = new HashMap<>();
    private long metricsNanos = System.nanoTime();
    private Optional<Look> look = Optional.empty();
    private List<PeekedMessage> peeked = List.of();
    // Longer ago than LOOK_NANOS, so that the first request reads the messages.
    private long peekedNanos = System.nanoTime() - 2 * LOOK_NANOS;

    Answers(RelayServer relay, AdminConfig config, SystemTree system) {
        this.relay = relay;
        this.config = config;
        this.host = system.text("proc/sys/kernel/hostname").orElse("");
        file("/", "page.html", "text/html; charset=utf-8");
        file("/plot.js", "plot.js", "text/javascript; charset=utf-8");
        file("/page.js", "page.js", "text/javascript; charset=utf-8");
        file("/page.css", "page.css", "text/css; charset=utf-8");
        file("/favicon.svg", "favicon.svg", "image/svg+xml");
    }

    private void file(String path, String resource, String type) {
        try (InputStream in = Answers.class.getResourceAsStream(resource)) {
            byte[] body = in.readAllBytes();
            if (path.equals("/")) {
                String links = PAGES.replaceFirst(".*\n", "")
                        .replaceAll("  /(\\S+) +(.*)\n", "<li><a href=\"$1\">/$1</a> $2</li>\n");
                body = new String(body, StandardCharsets.UTF_8)
                        .replace("{{pages}}", links.strip())
                        .getBytes(StandardCharsets.UTF_8);
            }
            files.put(path, new Answer(HttpResponseStatus.OK, type, body));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The version that the build has written into the jar's manifest. */
    static String version() {
        return Optional.ofNullable(Answers.class.getPackage().getImplementationVersion())
                .orElse("(not packaged)");
    }

    /**
     * The answer to a path, except for the few paths that {@link AdminConnection} answers itself.
     *
     * @param accept the request's Accept header; may be empty
     */
    Answer of(String path, String accept) {
        return switch (path) {
            case "/metrics" -> metrics(writer(accept));
            case "/health/live" -> health(relay.live(), new JsonLine().text("status", relay.live() ? "live" : "stuck"));
            case "/health/ready" -> ready();
            case "/config" -> config();
            case "/status" -> status();
            default -> Optional.ofNullable(files.get(path)).orElseGet(() -> unknown(path));
        };
    }

    private static Answer unknown(String path) {
        boolean health = PAGES.contains(" /health" + path + " ");
        String text = health ? "it is at /health" + path : "there is no such page";
        return Answer.text(HttpResponseStatus.NOT_FOUND, text + "; there are\n" + PAGES.stripTrailing());
    }

    static Answer health(boolean well, JsonLine what) {
        return Answer.json(well ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, what);
    }

    private Answer ready() {
        boolean ready = relay.ready();
        JsonLine line = new JsonLine().text("status", readiness(ready));
        if (!config.healthOnly()) {
            relay.cluster().ifPresent(status -> Look.cluster(line, status));
        }
        return health(ready, line);
    }

    private String readiness(boolean ready) {
        if (ready || !relay.ending() && !relay.reachable()) {
            return ready ? "ready" : "unreachable";
        }
        return relay.cluster()
                .filter(status -> !relay.ending())
                .map(status -> status.state().text())
                .orElse("ending");
    }

    /**
     * Returns the writer of the format that the client prefers. If both have the same quality, OpenMetrics is chosen if
     * the header names OpenMetrics. A client that accepts neither format gets Prometheus's text.
     */
    private ExpositionFormatWriter writer(String accept) {
        double open = Accept.quality(accept, OPEN_METRICS);
        double text = Accept.quality(accept, "text/plain");
        boolean opens = open > text
                || open == text && open > 0 && accept.toLowerCase(Locale.ROOT).contains(OPEN_METRICS);
        return opens ? formats.getOpenMetricsTextFormatWriter() : formats.getPrometheusTextFormatWriter();
    }

    private Answer metrics(ExpositionFormatWriter writer) {
        long now = System.nanoTime();
        if (now - metricsNanos > METRICS_NANOS) {
            metrics.clear();
            metricsNanos = now;
        }
        return metrics.computeIfAbsent(
                writer.getContentType(),
                type -> new Answer(
                        HttpResponseStatus.OK,
                        type,
                        Metrics.write(
                                relay,
                                writer,
                                config.metricsNames() == 0 ? List.of() : namedInMetrics(),
                                logSeconds(relay.stats()))));
    }

    /** The last messages, without those that this client may not get; a refusal if the client may not subscribe. */
    Answer peek(Token token, Peer peer) {
        Optional<TypeRanges> types = relay.subscribable(token, peer);
        if (types.isEmpty()) {
            return Answer.text(
                    HttpResponseStatus.FORBIDDEN,
                    "no identity of this request may subscribe: show the token of one that may");
        }
        if (System.nanoTime() - peekedNanos > LOOK_NANOS) {
            peeked = relay.lastMessages(MOST_PEEKED, PEEKED_BODY_BYTES);
            peekedNanos = System.nanoTime();
        }
        Stream<PeekedMessage> shown =
                peeked.stream().filter(message -> types.get().contains(message.type()));
        JsonLine line = new JsonLine();
        line.list("messages", shown, (item, message) -> item.number("sequence", message.sequence())
                .number("type", message.type())
                .number("length", message.length())
                .text("first", escaped(message.first())));
        return Answer.json(HttpResponseStatus.OK, line);
    }

    /** Bytes as text: printable ASCII unchanged, other bytes as {@code \\x0a}, a backslash as two backslashes. */
    private static String escaped(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte each : bytes) {
            if (each == '\\') {
                text.append("\\\\");
            } else if (each >= ' ' && each <= '~') {
                text.append((char) each);
            } else {
                text.append("\\x").append(HexFormat.of().toHexDigits(each));
            }
        }
        return text.toString();
    }

    private Answer config() {
        JsonLine line = new JsonLine().text("version", version());
        line.object("relay", members -> ConfigJson.members(members, relay.config()));
        line.object("admin", members -> ConfigJson.members(members, config));
        return Answer.json(HttpResponseStatus.OK, line);
    }

    Look look() {
        Look now =
                look.filter(at -> System.nanoTime() - at.nanos() <= LOOK_NANOS).orElseGet(() -> Look.at(relay));
        look = Optional.of(now);
        return now;
    }

    void countRefused() {
        relay.count(Counter.ADMIN_REFUSED);
    }

    void sample() {
        seconds.add(Instant.now(), System.nanoTime(), relay.stats());
    }

    private double logSeconds(RelayStats now) {
        return seconds.since(now.get(Counter.BYTES_IN) - now.get(Counter.LOG_BYTES));
    }

    private Answer status() {
        JsonLine line = new JsonLine().text("time", look().time().toString());
        identity(line);
        figures(line);
        return Answer.json(HttpResponseStatus.OK, line);
    }

    /** Adds facts that do not change, such as the host's name, the version, ports and the journal's directory. */
    private void identity(JsonLine line) {
        line.text("host", host).text("version", version());
        line.text("transport", relay.transport().flag())
                .text("localCongestion", relay.congestion().local())
                .text("congestion", relay.congestion().links())
                .text(
                        "slowSubscriber",
                        relay.config().clients().slowSubscriber().flag());
        ListenConfig listen = relay.config().listen();
        Stream<Port> ports = Stream.of(
                        port("publish", "plain", relay.publishAddress()),
                        port("publish", "unix", listen.publishSocket()),
                        port("publish", "TLS", relay.tlsPublishAddress()),
                        port("subscribe", "plain", relay.subscribeAddress()),
                        port("subscribe", "unix", listen.subscribeSocket()),
                        port("subscribe", "TLS", relay.tlsSubscribeAddress()))
                .flatMap(Optional::stream);
        line.list("ports", ports, (item, port) -> item.text("for", port.role())
                .text("by", port.kind())
                .text("address", port.address()));
        JournalConfig journal = relay.config().journal();
        line.text("journal", journal.on() ? journal.directory().toString() : null);
    }

    private record Port(String role, String kind, String address) {}

    private static Optional<Port> port(String role, String kind, Object address) {
        return Optional.ofNullable(address)
                .map(at -> at instanceof InetSocketAddress tcp ? NetUtil.toSocketAddressString(tcp) : at.toString())
                .map(text -> new Port(role, kind, text));
    }

    /** The first event of a stream: the relay's name and ports, its rates so far, and what later figures mean. */
    byte[] about() {
        JsonLine line = JsonLine.event("about", Instant.now());
        identity(line);
        line.list("rates", seconds.rates().stream(), Answers::rate);
        Stream<Counter> counters = Stream.of(Counter.values())
                .filter(counter ->
                        !counter.ofJournal() || relay.config().journal().on())
                .filter(counter -> !counter.ofState() || relay.config().state().on());
        line.list("counters", counters, (item, counter) -> item.text("key", counter.key())
                .text("unit", counter.unit())
                .truth("total", counter.total())
                .truth("limit", counter.limit())
                .text("help", counter.help()));
        line.list("parts", Stream.of(Part.values()), (item, part) -> item.text("part", Metrics.lower(part))
                .text("text", part.text())
                .text("kind", Metrics.lower(part.kind()))
                .truth("atStart", part.takenAtStart())
                .number("limit", relay.memory().of(part)));
        return event("about", line);
    }

    byte[] stats() {
        JsonLine line = JsonLine.event("stats", look().time());
        figures(line);
        return event("stats", line);
    }

    private static void rate(JsonLine line, Seconds.Rate rate) {
        line.text("time", rate.time().toString())
                .decimal("messagesInPerSecond", rate.messagesIn())
                .decimal("bytesInPerSecond", rate.bytesIn())
                .decimal("messagesOutPerSecond", rate.messagesOut())
                .decimal("bytesOutPerSecond", rate.bytesOut())
                .decimal("coreShare", rate.coreShare());
    }

    private double lagSeconds(Look now, ConnectionRow row) {
        return seconds.since(now.stats().get(Counter.BYTES_IN) - row.lagBytes());
    }

    private void figures(JsonLine line) {
        Look now = look();
        line.decimal("elapsedSeconds", (now.nanos() - relay.startNanos()) / 1e9);
        // There are no rates yet in the first second after the start.
        if (!seconds.rates().isEmpty()) {
            line.object("rate", members -> rate(members, seconds.rates().getLast()));
        }
        line.decimal("logSeconds", logSeconds(now.stats()));
        line.number(
                "behind",
                now.connections().stream()
                        .filter(row -> !row.publisher() && lagSeconds(now, row) > 1)
                        .count());
        if (relay.config().tls().on()) {
            line.decimal("tlsValidSeconds", relay.tls().validSeconds());
        }
        boolean ready = relay.ready();
        line.truth("ready", ready).text("status", readiness(ready));
        Look.totals(line, now);
        line.object(
                "memory",
                parts -> now.stats().memory().forEach((part, used) -> parts.number(Metrics.lower(part), used)));
        line.list("lagging", furthestFirst().limit(MOST_LAGGING), (item, row) -> {
            Look.row(item, row);
            item.decimal("lagSeconds", lagSeconds(now, row));
        });
        Stream<ConnectionRow> publishing = now.connections().stream()
                .filter(ConnectionRow::publisher)
                .sorted(Comparator.comparingDouble(ConnectionRow::messagesPerSecond)
                        .reversed()
                        .thenComparingLong(ConnectionRow::id));
        line.list("publishing", publishing.limit(MOST_LAGGING), Look::row);
        line.list("ended", now.stats().ended().stream().limit(MOST_ENDED), (item, ended) -> item.text(
                        "time", ended.time().toString())
                .text("who", ended.who())
                .text("reason", ended.reason().name())
                .text("detail", ended.detail()));
    }

    private List<ConnectionRow> namedInMetrics() {
        return config.metricsOnly().isEmpty()
                ? furthestFirst().limit(config.metricsNames()).toList()
                : furthestFirst()
                        .filter(row -> config.metricsOnly().contains(row.name()))
                        .toList();
    }

    private Stream<ConnectionRow> furthestFirst() {
        return look().connections().stream()
                .filter(row -> !row.publisher())
                .sorted(Comparator.comparingLong(ConnectionRow::lagBytes)
                        .reversed()
                        .thenComparingLong(ConnectionRow::id));
    }

    private static byte[] event(String name, JsonLine data) {
        return ("event: " + name + "\ndata: " + data.toLine() + "\n\n").getBytes(StandardCharsets.US_ASCII);
    }
}

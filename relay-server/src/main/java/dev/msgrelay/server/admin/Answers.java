package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.core.ClusterStatus;
import dev.msgrelay.server.log.PeekedMessage;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The answers to each path. For any number of requests the relay's connections are looked at once a second, and its
 * counters twice a second; requests in between get the same bytes. Owned by the admin port's thread.
 */
final class Answers {
    /** Subscribers, and publishers, listed in an event, for the page and for {@code relay-client top}. */
    static final int MOST_LAGGING = 20;

    private static final int MOST_ENDED = 40;

    private static final int MOST_PEEKED = 20;
    /** Bytes of each body that are shown. */
    private static final int PEEKED_BYTES = 64;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(900);
    private static final long METRICS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String JSON = "application/json";
    private static final String OPEN_METRICS = "application/openmetrics-text";

    /** One answer. Requests share its body, and nobody changes it. */
    record Answer(HttpResponseStatus status, String type, byte[] body) {
        static Answer text(HttpResponseStatus status, String text) {
            return new Answer(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }

        String bodyText() {
            return new String(body, StandardCharsets.UTF_8).strip();
        }

        static Answer json(HttpResponseStatus status, JsonLine line) {
            return new Answer(status, JSON, (line.end() + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    private final RelayServer relay;
    private final AdminConfig config;
    private final long startNanos = System.nanoTime();
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final Map<String, Answer> files = new HashMap<>();
    private final Map<String, Answer> metrics = new HashMap<>();
    private long metricsNanos = startNanos;
    private Look look;
    private List<PeekedMessage> peeked;
    private long peekedNanos;

    Answers(RelayServer relay, AdminConfig config) {
        this.relay = relay;
        this.config = config;
        file("/", "page.html", "text/html; charset=utf-8");
        file("/page.js", "page.js", "text/javascript; charset=utf-8");
        file("/page.css", "page.css", "text/css; charset=utf-8");
        file("/favicon.svg", "favicon.svg", "image/svg+xml");
    }

    private void file(String path, String resource, String type) {
        try (InputStream in = Answers.class.getResourceAsStream(resource)) {
            files.put(path, new Answer(HttpResponseStatus.OK, type, in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The version that the build has written into the jar's manifest. */
    static String version() {
        String version = Answers.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }

    /**
     * The answer to a path that needs no connection of its own; null: there is no such path.
     *
     * @param accept the request's header Accept; empty: none
     */
    Answer of(String path, String accept) {
        return switch (path) {
            case "/metrics" -> metrics(writer(accept));
            case "/health/live" -> health(relay.live(), status(relay.live(), "live", "stuck"));
            case "/health/ready" -> health(relay.ready(), ready());
            case "/config" -> config();
            default -> files.get(path);
        };
    }

    static Answer health(boolean well, JsonLine what) {
        return Answer.json(well ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, what);
    }

    private static JsonLine status(boolean well, String yes, String no) {
        return new JsonLine().text("status", well ? yes : no);
    }

    private JsonLine ready() {
        boolean ready = relay.ready();
        JsonLine line = status(ready, "ready", unready());
        if (!config.healthOnly()) {
            LookJson.cluster(line, relay.cluster());
        }
        return line;
    }

    private String unready() {
        ClusterStatus cluster = relay.cluster();
        if (!relay.ending() && !relay.reachable()) {
            return "unreachable";
        }
        return relay.ending() || cluster == null ? "ending" : cluster.state().text();
    }

    /**
     * The writer of the text format that the client wants more; for equal quality OpenMetrics, if the client names it.
     * Prometheus may prefer protobuf, and takes text as well. A client that takes neither gets Prometheus's text.
     */
    private ExpositionFormatWriter writer(String accept) {
        double open = Accept.quality(accept, OPEN_METRICS);
        double text = Accept.quality(accept, "text/plain");
        boolean opens = open > text || open == text && open > 0 && Accept.names(accept, OPEN_METRICS);
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
                        Metrics.write(relay, writer, config.metricsNames() == 0 ? List.of() : namedInMetrics())));
    }

    /** The last messages that a client with this token, from this peer, may get; refused if it may not subscribe. */
    Answer peek(Token token, Peer peer) {
        TypeRanges types = relay.subscribable(token, peer);
        if (types == null) {
            return Answer.text(
                    HttpResponseStatus.FORBIDDEN,
                    "no identity of this request may subscribe: show the token of one that may");
        }
        if (peeked == null || System.nanoTime() - peekedNanos > LOOK_NANOS) {
            peeked = relay.lastMessages(MOST_PEEKED, PEEKED_BYTES);
            peekedNanos = System.nanoTime();
        }
        Stream<PeekedMessage> shown = peeked.stream().filter(message -> types.contains(message.type()));
        JsonLine line = new JsonLine();
        line.list("messages", shown, (item, message) -> item.number("sequence", message.sequence())
                .number("type", message.type())
                .number("length", message.length())
                .text("first", escaped(message.first())));
        return Answer.json(HttpResponseStatus.OK, line);
    }

    /** Bytes as text: printable ASCII as it is, other bytes as {@code \\x0a}, a backslash as two. */
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

    /** The relay at a moment within the last second. */
    Look look() {
        if (look == null || System.nanoTime() - look.nanos() > LOOK_NANOS) {
            look = Look.at(relay);
        }
        return look;
    }

    /** The first event of a stream: describes the figures of the following events. */
    byte[] about() {
        JsonLine line = JsonLine.event("about", Instant.now()).text("version", version());
        line.text("transport", relay.transport().flag())
                .text(
                        "slowSubscriber",
                        relay.config().clients().slowSubscriber().flag());
        Stream<Counter> counters = Stream.of(Counter.values())
                .filter(counter ->
                        !counter.ofJournal() || relay.config().journal().on());
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
        Look now = look();
        JsonLine line = JsonLine.event("stats", now.time());
        line.decimal("elapsedSeconds", (now.nanos() - startNanos) / 1e9);
        boolean ready = relay.ready();
        line.truth("ready", ready).text("status", ready ? "ready" : unready());
        LookJson.totals(line, now);
        line.object(
                "memory",
                parts -> now.stats().memory().forEach((part, used) -> parts.number(Metrics.lower(part), used)));
        line.list("lagging", furthestFirst().limit(MOST_LAGGING), LookJson::row);
        Stream<ConnectionRow> publishing = now.connections().stream()
                .filter(ConnectionRow::publisher)
                .sorted(Comparator.comparingDouble(ConnectionRow::messagesPerSecond)
                        .reversed()
                        .thenComparingLong(ConnectionRow::id));
        line.list("publishing", publishing.limit(MOST_LAGGING), LookJson::row);
        line.list("ended", now.stats().ended().stream().limit(MOST_ENDED), (item, ended) -> item.text(
                        "time", ended.time().toString())
                .text("who", ended.who())
                .text("reason", ended.reason().name())
                .text("detail", ended.detail()));
        return event("stats", line);
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
        return ("event: " + name + "\ndata: " + data.end() + "\n\n").getBytes(StandardCharsets.US_ASCII);
    }
}

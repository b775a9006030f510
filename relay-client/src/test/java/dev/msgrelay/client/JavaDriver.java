package dev.msgrelay.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;

/** The driver of this library for the conformance kit: {@code clients/conformance/README.md}. */
public final class JavaDriver {
    private static final int DEFAULT_WAIT_MS = 60_000;

    private final OutputStream out;
    private RelaySubscriber subscriber;
    private Thread polling;
    private RelayPublisher publisher;
    // Taken while a message is handed over; a pause holds it.
    private final Semaphore reading = new Semaphore(1, true);
    private boolean paused;

    private JavaDriver(OutputStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        serve(System.in, System.out);
        System.exit(0);
    }

    /** Obeys until the commands end. */
    public static void serve(InputStream commands, OutputStream events) throws Exception {
        JavaDriver driver = new JavaDriver(events);
        driver.tell(
                "ready",
                "client",
                "java",
                "version",
                "0.1.0",
                "capabilities",
                JsonArray.from(
                        "subscriber",
                        "publisher",
                        "plain",
                        "levels",
                        "types",
                        "tls",
                        "token",
                        "unix",
                        "endpoints",
                        "producer_file",
                        "pause",
                        "time",
                        "state",
                        "peer",
                        "certificate"));
        BufferedReader lines = new BufferedReader(new InputStreamReader(commands, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            driver.obey(line);
        }
        driver.close();
    }

    private void obey(String line) throws Exception {
        JsonObject command;
        try {
            command = JsonParser.object().from(line);
        } catch (JsonParserException e) {
            throw new IOException(line, e);
        }
        String name = command.getString("command");
        try {
            switch (name) {
                case "open" -> open(command);
                case "publish" -> publish(command);
                case "types" -> types(command);
                case "flush" -> flush(Duration.ofMillis(command.getInt("wait_ms", DEFAULT_WAIT_MS)));
                case "pause" -> {
                    reading.acquire();
                    paused = true;
                    tell("paused");
                }
                case "resume" -> {
                    resume();
                    tell("resumed");
                }
                case "counters" -> counters();
                case "close" -> tell("closed", "unsettled", String.valueOf(close()));
                default -> throw new IllegalArgumentException("no command " + name);
            }
        } catch (IllegalArgumentException | IOException e) {
            if (ErrorKind.of(e) != ErrorKind.YOURS) {
                throw e;
            }
            tell("error", "kind", "yours", "code", 0, "text", String.valueOf(e.getMessage()), "command", name);
        }
    }

    private void open(JsonObject options) throws Exception {
        List<Endpoint> endpoints = new ArrayList<>();
        options.getArray("endpoints").forEach(one -> endpoints.add(Endpoint.parse((String) one)));
        if (options.getString("role").equals("subscriber")) {
            SubscriberOptions built = subscriber(endpoints, options);
            subscriber = RelaySubscriber.open(built);
            tell("opened");
            polling = new Thread(this::poll, "poll");
            polling.start();
        } else {
            PublisherOptions built = publisher(endpoints, options);
            tell("opened");
            publisher = RelayPublisher.open(built);
        }
    }

    private SubscriberOptions subscriber(List<Endpoint> endpoints, JsonObject options) {
        SubscriberOptions.Builder builder = common(SubscriberOptions.builder(endpoints), options)
                .onGap(gap -> tell(
                        "gap",
                        "from",
                        String.valueOf(gap.from()),
                        "to",
                        String.valueOf(gap.to()),
                        "reason",
                        gap.code()));
        if (options.has("types")) {
            builder.types(ranges(options.getArray("types")));
        }
        switch (options.getString("start", "live")) {
            case "earliest" -> builder.fromEarliest();
            case "sequence" -> builder.fromSequence(number(options, "epoch"), number(options, "sequence"));
            case "state" -> builder.fromState(number(options, "epoch"), number(options, "sequence"));
            case "time" -> builder.fromTime(Instant.ofEpochMilli(number(options, "time_ms")));
            default -> {}
        }
        if (options.has("policy") && !options.getString("policy").equals("default")) {
            builder.policy(Policy.valueOf(options.getString("policy").toUpperCase(Locale.ROOT)));
        }
        if (options.has("interval_ms")) {
            builder.interval(Duration.ofMillis(options.getLong("interval_ms")));
        }
        if (options.has("level")) {
            builder.durableOnly(level(options));
        }
        if (options.has("buffer")) {
            builder.bufferSize(options.getInt("buffer"));
        }
        return builder.build();
    }

    private PublisherOptions publisher(List<Endpoint> endpoints, JsonObject options) throws IOException {
        PublisherOptions.Builder builder = common(PublisherOptions.builder(endpoints), options)
                .onAck((number, sequence) ->
                        tell("acked", "number", String.valueOf(number), "sequence", String.valueOf(sequence)));
        if (options.getBoolean("acks", false)) {
            builder.acks(options.getString("name", ""), options.has("level") ? level(options) : Level.STREAM);
        }
        if (options.has("producer")) {
            builder.producer(ProducerId.parse(options.getString("producer")));
        }
        if (options.has("producer_file")) {
            builder.producerFile(Path.of(options.getString("producer_file")));
        }
        if (options.has("first_number") || options.has("epoch")) {
            builder.firstNumber(number(options, "epoch"), number(options, "first_number"));
        }
        if (options.has("buffer")) {
            builder.bufferSize(options.getInt("buffer"));
        }
        if (options.has("close_timeout_ms")) {
            builder.closeTimeout(Duration.ofMillis(options.getInt("close_timeout_ms")));
        }
        return builder.build();
    }

    private <B extends ConnectionOptions.Builder<B>> B common(B builder, JsonObject options) {
        if (options.getBoolean("plain", false)) {
            builder.plain();
        }
        if (options.has("name")) {
            builder.name(options.getString("name"));
        }
        if (options.has("token")) {
            builder.token(Token.of(options.getString("token")));
        }
        if (options.has("heartbeat_ms")) {
            builder.heartbeat(Duration.ofMillis(options.getInt("heartbeat_ms")));
        }
        if (options.has("connect_timeout_ms")) {
            builder.connectTimeout(Duration.ofMillis(options.getInt("connect_timeout_ms")));
        }
        if (options.has("handshake_timeout_ms")) {
            builder.handshakeTimeout(Duration.ofMillis(options.getInt("handshake_timeout_ms")));
        }
        if (options.has("max_body")) {
            builder.maxBody(options.getInt("max_body"));
        }
        if (options.has("reconnect")) {
            JsonObject how = options.getObject("reconnect");
            int rounds = how.getInt("rounds");
            builder.reconnect(new ReconnectPolicy(
                    rounds == -1 ? ReconnectPolicy.ENDLESS : rounds,
                    Duration.ofMillis(how.getInt("first_ms")),
                    Duration.ofMillis(how.getInt("longest_ms")),
                    how.getDouble("jitter")));
        }
        if (options.has("tls")) {
            JsonObject files = options.getObject("tls");
            TlsOptions tls = TlsOptions.trusting(Path.of(files.getString("ca")));
            if (files.has("certificate")) {
                tls = tls.showing(Path.of(files.getString("certificate")), Path.of(files.getString("key")));
            }
            builder.tls(files.has("server_name") ? tls.expecting(files.getString("server_name")) : tls);
        }
        return builder.onEvent(this::event);
    }

    private static Level level(JsonObject options) {
        return Level.valueOf(options.getString("level").toUpperCase(Locale.ROOT));
    }

    private static long number(JsonObject options, String name) {
        return Long.parseLong(options.getString(name, "0"));
    }

    private static TypeRanges ranges(JsonArray pairs) {
        if (pairs.isEmpty()) {
            return TypeRanges.ALL;
        }
        int[] bounds = new int[2 * pairs.size()];
        for (int i = 0; i < pairs.size(); i++) {
            bounds[2 * i] = pairs.getArray(i).getInt(0);
            bounds[2 * i + 1] = pairs.getArray(i).getInt(1);
        }
        return TypeRanges.of(bounds);
    }

    private void poll() {
        try {
            int n = 0;
            while (n >= 0) {
                n = subscriber.poll(this::message);
            }
        } catch (IOException e) {
            // Told by the event that it gave up.
        }
    }

    private void message(long sequence, int type, ByteBuffer body) {
        reading.acquireUninterruptibly();
        try {
            byte[] copy = new byte[body.remaining()];
            body.get(copy);
            tell(
                    "message",
                    "sequence",
                    String.valueOf(sequence),
                    "type",
                    type,
                    "body",
                    Base64.getEncoder().encodeToString(copy));
        } finally {
            reading.release();
        }
    }

    private void publish(JsonObject command) throws InterruptedException {
        byte[] body = Base64.getDecoder().decode(command.getString("body"));
        Duration wait = Duration.ofMillis(command.getInt("wait_ms", DEFAULT_WAIT_MS));
        int count = command.getInt("count", 1);
        PublishOutcome outcome = PublishOutcome.ACCEPTED;
        int taken = 0;
        while (taken < count && outcome == PublishOutcome.ACCEPTED) {
            if (command.getBoolean("stamp", false)) {
                ByteBuffer.wrap(body).putLong(taken);
            }
            outcome = publisher.publish(command.getInt("type"), body, 0, body.length, wait);
            taken += outcome == PublishOutcome.ACCEPTED ? 1 : 0;
        }
        if (outcome == PublishOutcome.CLOSED) {
            error(publisher.failure().orElseThrow(), "publish");
        } else {
            tell("published", "taken", taken, "full", outcome == PublishOutcome.FULL);
        }
    }

    private void flush(Duration wait) throws InterruptedException {
        boolean settled = true;
        try {
            publisher.flush(wait);
        } catch (PublishException e) {
            settled = false;
        }
        tell("flushed", "settled", settled);
    }

    private void types(JsonObject command) {
        subscriber.types(ranges(command.getArray("ranges"))).whenComplete((sequence, failure) -> {
            if (failure == null) {
                tell("types", "sequence", String.valueOf(sequence));
            } else {
                tell("error", "kind", "yours", "code", 0, "text", failure.getMessage(), "command", "types");
            }
        });
    }

    private void counters() {
        if (subscriber != null) {
            tell(
                    "counters",
                    "messages",
                    String.valueOf(subscriber.messages()),
                    "bytes",
                    String.valueOf(subscriber.bytes()),
                    "epoch",
                    String.valueOf(subscriber.epoch()),
                    "next",
                    String.valueOf(subscriber.next()),
                    "head",
                    String.valueOf(subscriber.head()));
        } else {
            tell(
                    "counters",
                    "messages",
                    String.valueOf(publisher.messages()),
                    "bytes",
                    String.valueOf(publisher.bytes()),
                    "settled",
                    String.valueOf(publisher.settled()),
                    "confirmed",
                    String.valueOf(publisher.confirmed()),
                    "first_number",
                    String.valueOf(publisher.firstNumber()));
        }
    }

    /** Returns the number of messages that were not settled. */
    private long close() throws InterruptedException {
        long unsettled = 0;
        if (subscriber != null) {
            subscriber.close();
            resume();
            polling.join();
            subscriber = null;
        }
        if (publisher != null) {
            try {
                publisher.close();
            } catch (PublishException e) {
                unsettled = e.unsettled();
            }
            publisher = null;
        }
        return unsettled;
    }

    private void resume() {
        if (paused) {
            paused = false;
            reading.release();
        }
    }

    private void event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            boolean peer = connected.welcome().grants(Features.PEER);
            tell(
                    "connected",
                    "endpoint",
                    event.endpoint().toString(),
                    "plain",
                    false,
                    "epoch",
                    String.valueOf(connected.welcome().epoch()),
                    "next",
                    String.valueOf(connected.welcome().next()),
                    "accepted",
                    String.valueOf(connected.welcome().accepted()),
                    "policy",
                    policy(connected.welcome().policy()),
                    "interval_ms",
                    connected.welcome().grants(Features.INTERVAL)
                            ? connected.welcome().intervalMillis()
                            : null,
                    "server",
                    connected.welcome().server(),
                    "address",
                    peer ? connected.welcome().address() : null,
                    "identity",
                    peer ? connected.welcome().identity() : null,
                    "anew",
                    subscriber == null ? null : connected.anew());
        } else if (event instanceof SessionEvent.StateComplete complete) {
            tell("state_complete", "next", String.valueOf(complete.next()));
        } else if (event instanceof SessionEvent.StateLate) {
            tell("state_late");
        } else if (event instanceof SessionEvent.CertificateEnds certificate) {
            tell("certificate", "days", certificate.days());
        } else if (event instanceof SessionEvent.ConnectedPlain) {
            tell("connected", "endpoint", event.endpoint().toString(), "plain", true);
        } else if (event instanceof SessionEvent.Lost lost) {
            tell(
                    "lost",
                    "code",
                    code(lost.cause()),
                    "text",
                    String.valueOf(lost.cause().getMessage()));
        } else if (event instanceof SessionEvent.GaveUp gaveUp) {
            error(gaveUp.cause(), null);
        } else if (event instanceof SessionEvent.GoingAway going) {
            tell(
                    "going_away",
                    "code",
                    going.goAway().code(),
                    "closes_in_ms",
                    going.goAway().closesInMillis());
        } else if (event instanceof SessionEvent.StreamChanged changed) {
            tell("stream_changed", "lost_from", String.valueOf(changed.lostFrom()));
        } else if (event instanceof SessionEvent.RelayRestarted) {
            tell("stream_changed");
        } else if (event instanceof SessionEvent.StreamRolledBack rolled) {
            tell("rolled_back", "from", String.valueOf(rolled.fork()), "to", String.valueOf(rolled.had()));
        } else if (event instanceof SessionEvent.AcknowledgedGone gone) {
            tell("rolled_back", "from", String.valueOf(gone.from()), "to", String.valueOf(gone.to()));
        } else if (event instanceof SessionEvent.MissedUnknown) {
            tell("missed");
        } else if (event instanceof SessionEvent.InDoubt doubt) {
            tell("in_doubt", "messages", String.valueOf(doubt.messages()));
        }
    }

    private static String policy(Policy granted) {
        return granted == Policy.RELAY_DEFAULT ? "default" : granted.flag();
    }

    private void error(IOException cause, String command) {
        tell(
                "error",
                "kind",
                ErrorKind.of(cause).name().toLowerCase(Locale.ROOT),
                "code",
                code(cause),
                "text",
                String.valueOf(cause.getMessage()),
                "command",
                command);
    }

    /** The relay's code, or that of the rule that it broke; 0: none. */
    private static int code(Throwable cause) {
        if (cause instanceof RelayErrorException error) {
            return error.code();
        }
        if (cause instanceof FrameException fault) {
            return fault.reason().code();
        }
        return cause == null ? 0 : code(cause.getCause());
    }

    /** Reports an event; a field whose value is null is left out. */
    private void tell(String event, Object... fields) {
        JsonObject line = new JsonObject();
        line.put("event", event);
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i + 1] != null) {
                line.put((String) fields[i], fields[i + 1]);
            }
        }
        byte[] bytes = (JsonWriter.string(line) + "\n").getBytes(UTF_8);
        synchronized (out) {
            try {
                out.write(bytes);
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

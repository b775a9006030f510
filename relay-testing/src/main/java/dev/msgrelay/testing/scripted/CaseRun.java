package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.testing.scripted.Case.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plays a case, once: the relay's part, and the part of the client's user if there is a driver. */
final class CaseRun implements AutoCloseable {
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)([+-]\\d+)?");

    /** The reply to each command. */
    private static final Map<String, String> REPLIES = Map.of(
            "open", "opened",
            "publish", "published",
            "types", "types",
            "flush", "flushed",
            "pause", "paused",
            "resume", "resumed",
            "counters", "counters",
            "close", "closed");

    private static final Path TLS_FILES = Path.of("../tls");
    private static final long FLOOD_PAUSE_MS = 500;
    private static final int ACKS_AND_SEQUENCES = 3;

    private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(run -> {
        Thread thread = new Thread(run, "deadlines of cases");
        thread.setDaemon(true);
        return thread;
    });

    private record Listener(ScriptedRelay relay, String kind, String certificate) {}

    private final Case played;
    private final Driver driver;
    private final Duration patience;
    private final Path directory;
    private final Map<String, String> variables = new HashMap<>();
    private final Map<String, Listener> listeners = new LinkedHashMap<>();
    private final List<Peer> peers = new ArrayList<>();
    private Peer peer;
    private int wanted;
    private boolean open;
    private String begun;

    /**
     * @param driver null: the relay's part alone
     * @param patience limit on each step
     */
    CaseRun(Case played, Driver driver, Duration patience) throws IOException {
        this.played = played;
        this.driver = driver;
        this.patience = patience;
        this.directory = Files.createTempDirectory("relay-case");
        boolean named = played.steps().stream().anyMatch(step -> step.verb().equals("listen"));
        if (!named) {
            listeners.put("a", listener("tcp", "server"));
        }
        for (Step step : played.steps()) {
            if (step.verb().equals("listen")) {
                List<String> words = step.words();
                listeners.put(words.get(0), listener(words.get(1), words.size() > 2 ? words.get(2) : "server"));
            }
        }
    }

    /** The addresses of the case's relays, by their names. */
    Map<String, String> endpoints() {
        Map<String, String> all = new LinkedHashMap<>();
        listeners.forEach(
                (name, listener) -> all.put(name, listener.relay.endpoint().toString()));
        return all;
    }

    /** @throws AssertionError the client did something else */
    void play(Long loopValue) throws Exception {
        if (loopValue != null) {
            variables.put(played.loop().variable(), String.valueOf(loopValue));
        }
        for (Step step : played.steps()) {
            AtomicLong late = new AtomicLong();
            ScheduledFuture<?> watch = WATCH.schedule(
                    () -> {
                        late.set(1);
                        abort();
                    },
                    patience.toMillis(),
                    TimeUnit.MILLISECONDS);
            if (driver != null && step.verb().equals("accept")) {
                driver.onError(this::abort);
            }
            try {
                play(step);
            } catch (AssertionError | Exception e) {
                String why = late.get() == 1 ? "not within " + patience.toMillis() + " ms" : reason(e);
                String loop = loopValue == null ? "" : ", " + played.loop().variable() + " = " + loopValue;
                String said = driver == null ? "" : "\n  the client's last events:\n    " + driver.lastWords();
                throw new AssertionError(step + loop + ": " + why + said, e);
            } finally {
                watch.cancel(false);
                if (driver != null) {
                    driver.onError(null);
                }
            }
        }
        if (driver != null) {
            end();
        }
    }

    @Override
    public void close() throws IOException {
        abort();
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }

    private String reason(Throwable e) {
        String error = driver == null ? null : driver.error();
        if (e instanceof AssertionError) {
            return e.getMessage();
        }
        return error == null ? e.toString() : "the client reported " + error;
    }

    private void abort() {
        for (Listener listener : listeners.values()) {
            quietly(listener.relay::close);
        }
        synchronized (peers) {
            peers.forEach(one -> quietly(() -> one.channel().close()));
        }
    }

    private interface Closing {
        void close() throws IOException;
    }

    private static void quietly(Closing closing) {
        try {
            closing.close();
        } catch (IOException e) {
            // Closed already.
        }
    }

    /** Closes the client; what it had to report is told by now. */
    private void end() throws Exception {
        awaitBegun();
        if (driver.error() != null) {
            throw new AssertionError("at the end the client had also reported " + driver.error());
        }
        if (open) {
            JsonObject close = new JsonObject();
            close.put("command", "close");
            driver.send(close);
            for (Listener listener : listeners.values()) {
                quietly(listener.relay::stop);
            }
            drain();
            // A publisher that finds no relay any more may say so.
            driver.awaitReply("close", "closed", deadline());
            driver.take(event -> event.getString("event").equals("error"));
        }
        List<JsonObject> left = driver.leftOver();
        if (!left.isEmpty()) {
            throw new AssertionError("at the end the client had also reported " + JsonWriter.string(left.get(0)));
        }
    }

    /** As a relay does at an orderly end: reads on, and closes when the client has. */
    private void drain() {
        Peer last = peer;
        if (last == null) {
            return;
        }
        Thread thread = new Thread(
                () -> {
                    quietly(last::drain);
                    quietly(last::close);
                },
                "drains");
        thread.setDaemon(true);
        thread.start();
    }

    private long deadline() {
        return System.nanoTime() + patience.toNanos();
    }

    private void play(Step step) throws Exception {
        List<String> words = step.words().stream().map(this::filled).toList();
        switch (step.verb()) {
            case "listen" -> {}
            case "accept" ->
                accept(words.isEmpty() ? listeners.keySet().iterator().next() : words.get(0), false);
            case "accept-fails" ->
                accept(words.isEmpty() ? listeners.keySet().iterator().next() : words.get(0), true);
            case "refuse" -> listeners.get(words.get(0)).relay.stop();
            case "expect" -> expect(words);
            case "expect-messages" -> expectMessages(words);
            case "send" -> peer.send(frames(words));
            case "send-in" -> sendPieces(frames(words.subList(1, words.size())), Integer.parseInt(words.get(0)));
            case "send-cut" -> {
                ByteBuffer all = frames(words.subList(1, words.size()));
                int at = Math.min(Integer.parseInt(words.get(0)), all.remaining());
                peer.send(all.slice(0, at));
                pause();
                peer.send(all.slice(at, all.remaining() - at));
            }
            case "send-part" -> {
                ByteBuffer all = frames(words.subList(1, words.size()));
                peer.send(all.slice(0, Math.min(Integer.parseInt(words.get(0)), all.remaining())));
            }
            case "send-many" -> sendMany(words);
            case "flood" -> flood(words);
            case "cut" -> peer.close();
            case "reset" -> peer.reset();
            case "wait" -> Thread.sleep(Long.parseLong(words.get(0)));
            case "no-connection" -> noConnection();
            default -> playUser(step.verb(), words);
        }
    }

    private void playUser(String verb, List<String> words) throws Exception {
        if (driver == null) {
            if (!List.of(
                            "open",
                            "do",
                            "begin",
                            "told",
                            "told-messages",
                            "publish",
                            "never-told",
                            "told-gaps",
                            "quiet",
                            "until-counters")
                    .contains(verb)) {
                throw new IllegalArgumentException("no step has the verb " + verb);
            }
            return;
        }
        switch (verb) {
            case "open" -> open(words);
            case "do" -> {
                awaitBegun();
                command(words);
                String name = words.get(0);
                if (!name.equals("types")) {
                    driver.awaitReply(name, REPLIES.get(name), deadline());
                }
                open &= !name.equals("close");
            }
            case "begin" -> {
                awaitBegun();
                command(words);
                begun = words.get(0);
            }
            case "told" -> told(words);
            case "told-messages" -> toldMessages(words);
            case "told-gaps" -> toldGaps(words.get(0));
            case "quiet" -> driver.awaitQuiet(deadline());
            case "until-counters" -> untilCounters(words);
            case "never-told" -> {
                if (!driver.take(event -> event.getString("event").equals(words.get(0)))
                        .isEmpty()) {
                    throw new AssertionError("the client reported " + words.get(0));
                }
            }
            case "publish" -> publish(words);
            default -> throw new IllegalArgumentException("no step has the verb " + verb);
        }
    }

    private String filled(String word) {
        Matcher matcher = VARIABLE.matcher(word);
        StringBuilder out = new StringBuilder();
        while (matcher.find()) {
            String value = variables.get(matcher.group(1));
            if (value == null) {
                throw new IllegalArgumentException("no variable " + matcher.group(1));
            }
            if (matcher.group(2) != null) {
                value = String.valueOf(Long.parseLong(value) + Long.parseLong(matcher.group(2)));
            }
            matcher.appendReplacement(out, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(out).toString();
    }

    // The relay's part.

    private Listener listener(String kind, String certificate) throws IOException {
        ScriptedRelay relay = kind.equals("unix") ? ScriptedRelay.unix(directory) : ScriptedRelay.tcp();
        return new Listener(relay, kind, certificate);
    }

    private Path tlsFile(String name) {
        return played.file()
                .toAbsolutePath()
                .getParent()
                .resolve(TLS_FILES)
                .resolve(name)
                .normalize();
    }

    private void accept(String name, boolean fails) throws IOException {
        Listener listener = listeners.get(name);
        boolean tls = listener.kind.equals("tls") || listener.kind.equals("mtls");
        try {
            peer = tls
                    ? listener.relay.accept(
                            TlsFiles.server(
                                    tlsFile("ca.pem"),
                                    tlsFile(listener.certificate + ".pem"),
                                    tlsFile(listener.certificate + ".key")),
                            listener.kind.equals("mtls"))
                    : listener.relay.accept();
        } catch (IOException e) {
            if (fails) {
                return;
            }
            throw e;
        }
        synchronized (peers) {
            peers.add(peer);
        }
        // A client may refuse a certificate after the relay's side of the handshake is through.
        if (fails && endsAtOnce()) {
            return;
        }
        if (fails) {
            throw new AssertionError("the client accepted the TLS connection");
        }
    }

    private boolean endsAtOnce() {
        try {
            return peer.next() == null;
        } catch (IOException e) {
            return true;
        }
    }

    private void noConnection() throws Exception {
        Thread.sleep(100);
        for (Listener listener : listeners.values()) {
            if (listener.relay.hasConnection()) {
                throw new AssertionError("the client has connected again");
            }
        }
    }

    private ByteBuffer frames(List<String> words) {
        List<ByteBuffer> frames = new ArrayList<>();
        List<String> frame = new ArrayList<>();
        int length = 0;
        for (int i = 0; i <= words.size(); i++) {
            if (i < words.size() && !words.get(i).equals("|")) {
                frame.add(words.get(i));
                continue;
            }
            ByteBuffer bytes = frame(frame);
            frames.add(bytes);
            length += bytes.remaining();
            frame.clear();
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        frames.forEach(all::put);
        return all.flip();
    }

    private ByteBuffer frame(List<String> words) {
        String name = words.get(0);
        if (name.equals("BYTES")) {
            return FrameText.encode(String.join(" ", words));
        }
        Map<String, String> fields = Words.fields(words.subList(1, words.size()));
        if (name.equals("WELCOME")) {
            fields.putIfAbsent("features", String.valueOf(wanted & ACKS_AND_SEQUENCES));
        }
        return FrameText.encode(name, fields);
    }

    private void sendPieces(ByteBuffer all, int piece) throws IOException {
        while (all.hasRemaining()) {
            int n = Math.min(piece, all.remaining());
            peer.send(all.slice(all.position(), n));
            all.position(all.position() + n);
            pause();
        }
    }

    /** So that the client most likely reads what was sent by itself. */
    private static void pause() {
        Thread.yield();
    }

    /** {@code send-many COUNT FRAME}: {@code $i} in it is the number, from 1. */
    private void sendMany(List<String> words) throws IOException {
        long count = Long.parseLong(words.get(0));
        ByteBuffer some = ByteBuffer.allocate(64 << 10);
        for (long i = 1; i <= count; i++) {
            long number = i;
            ByteBuffer one = frame(words.subList(1, words.size()).stream()
                    .map(word -> word.replace("%i", String.valueOf(number)))
                    .toList());
            if (one.remaining() > some.remaining()) {
                peer.send(some.flip());
                some.clear();
            }
            some.put(one);
        }
        peer.send(some.flip());
    }

    /**
     * {@code flood most=BYTES body=BYTES}: messages until the client has taken none for half a second; {@code $flooded}
     * is their number. More than most: the client keeps what nobody asked for.
     */
    private void flood(List<String> words) throws Exception {
        Map<String, String> fields = Words.fields(words);
        long most = FrameText.number(fields.get("most"));
        int size = (int) FrameText.number(fields.get("body"));
        AtomicLong sent = new AtomicLong();
        AtomicBoolean enough = new AtomicBoolean();
        Peer flooded = peer;
        long before = -1;
        Thread sender = new Thread(
                () -> {
                    try {
                        while (sent.get() * size <= most && !enough.get()) {
                            flooded.send(FrameText.encode("MESSAGE size=" + size));
                            sent.incrementAndGet();
                        }
                    } catch (IOException e) {
                        // The case is over.
                    }
                },
                "flood");
        sender.setDaemon(true);
        sender.start();
        while (sender.isAlive() && sent.get() != before) {
            before = sent.get();
            sender.join(FLOOD_PAUSE_MS);
        }
        if (!sender.isAlive()) {
            throw new AssertionError("the client took " + sent.get() * size + " bytes that nobody read");
        }
        // The message under way goes out once the client reads; it is the last.
        enough.set(true);
        variables.put("flooded", String.valueOf(sent.get() + 1));
    }

    private void expect(List<String> words) throws IOException {
        if (words.get(0).equals("end")) {
            expectEnd();
            return;
        }
        Peer.Frame frame = nextFrame(words.get(0));
        if (frame == null) {
            throw new AssertionError("the client has closed");
        }
        Map<String, String> got = FrameText.decode(frame.type(), frame.body());
        if (!FrameText.name(frame.type()).equals(words.get(0))) {
            throw new AssertionError("the client sent " + frame);
        }
        if (words.get(0).equals("HELLO")) {
            wanted = Integer.parseInt(got.get("features"));
        }
        for (Map.Entry<String, String> field :
                Words.fields(words.subList(1, words.size())).entrySet()) {
            match(field.getKey(), field.getValue(), got.get(field.getKey()), "the client sent " + frame);
        }
    }

    /** The next frame but PONGs and PINGs, which may come at any time; a PING is answered. */
    private Peer.Frame nextFrame(String name) throws IOException {
        while (true) {
            Peer.Frame frame = peer.next();
            String its = frame == null ? "" : FrameText.name(frame.type());
            if (its.equals(name) || !its.equals("PING") && !its.equals("PONG")) {
                return frame;
            }
            if (its.equals("PING")) {
                peer.send("PONG id="
                        + FrameText.decode(frame.type(), frame.body()).get("id"));
            }
        }
    }

    private void expectEnd() {
        try {
            peer.drain();
        } catch (java.nio.channels.AsynchronousCloseException e) {
            throw new AssertionError("the client has not closed", e);
        } catch (IOException e) {
            // A reset is an end as well.
        }
    }

    private void expectMessages(List<String> words) throws IOException {
        String[] range = words.get(0).split("\\.\\.");
        for (long i = Long.parseLong(range[0]); i <= Long.parseLong(range[1]); i++) {
            expect(List.of("MESSAGE", "body=" + i));
        }
    }

    // The part of the client's user.

    private void open(List<String> words) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("rounds", "-1");
        options.put("handshake_timeout_ms", String.valueOf(patience.toMillis()));
        options.put("close_timeout_ms", words.get(0).equals("publisher") ? "1000" : null);
        options.putAll(Words.fields(words.subList(1, words.size())));
        JsonObject command = new JsonObject();
        command.put("command", "open");
        command.put("role", words.get(0));
        JsonArray endpoints = new JsonArray();
        String chosen = options.remove("at");
        for (String name : chosen == null ? listeners.keySet() : List.of(chosen.split(","))) {
            endpoints.add(
                    listeners.containsKey(name)
                            ? listeners.get(name).relay.endpoint().toString()
                            : name);
        }
        command.put("endpoints", endpoints);
        JsonObject reconnect = new JsonObject();
        reconnect.put("rounds", Integer.parseInt(options.remove("rounds")));
        reconnect.put("first_ms", 1);
        reconnect.put("longest_ms", 5);
        reconnect.put("jitter", 0);
        command.put("reconnect", reconnect);
        if (options.containsKey("tls")) {
            JsonObject tls = new JsonObject();
            for (String part : options.remove("tls").split(",")) {
                if (part.startsWith("name:")) {
                    tls.put("server_name", part.substring(5));
                } else if (part.endsWith("ca")) {
                    tls.put("ca", tlsFile(part + ".pem").toString());
                } else {
                    tls.put("certificate", tlsFile(part + ".pem").toString());
                    tls.put("key", tlsFile(part + ".key").toString());
                }
            }
            command.put("tls", tls);
        }
        options.values().removeIf(java.util.Objects::isNull);
        options.forEach((name, value) -> command.put(name, option(name, value)));
        driver.send(command);
        driver.awaitReply("open", "opened", deadline());
        open = !driver.take(event -> event.getString("event").equals("opened")).isEmpty();
    }

    private Object option(String name, String value) {
        return switch (name) {
            case "types", "ranges" -> ranges(value);
            case "plain", "acks", "stamp" -> Boolean.parseBoolean(value);
            case "body" -> base64(value);
            case "producer_file" -> directory.resolve(value).toString();
            case "type", "count", "max_body", "buffer" -> FrameText.number(value);
            default -> name.endsWith("_ms") && !name.equals("time_ms") ? FrameText.number(value) : (Object) value;
        };
    }

    private static JsonArray ranges(String value) {
        JsonArray ranges = new JsonArray();
        for (String range : value.isEmpty() ? new String[0] : value.split(",")) {
            int dash = range.indexOf('-', 1);
            JsonArray pair = new JsonArray();
            pair.add(FrameText.number(range.substring(0, dash)));
            pair.add(FrameText.number(range.substring(dash + 1)));
            ranges.add(pair);
        }
        return ranges;
    }

    private static String base64(String value) {
        return Base64.getEncoder().encodeToString(value.getBytes(UTF_8));
    }

    private void command(List<String> words) throws IOException {
        JsonObject command = new JsonObject();
        command.put("command", words.get(0));
        Map<String, String> fields = Words.fields(words.subList(1, words.size()));
        String size = fields.remove("size");
        fields.forEach((name, value) -> command.put(name, option(name, value)));
        if (words.get(0).equals("publish")) {
            command.putIfAbsent("type", 1);
            command.putIfAbsent("body", "");
            if (size != null) {
                byte[] body = new byte[(int) FrameText.number(size)];
                command.put("body", Base64.getEncoder().encodeToString(body));
            }
        }
        driver.send(command);
    }

    private void awaitBegun() {
        if (begun != null) {
            driver.awaitReply(begun, REPLIES.get(begun), deadline());
            begun = null;
        }
    }

    /** {@code publish FROM..TO}: messages of type 1, whose bodies are their numbers. */
    private void publish(List<String> words) throws IOException {
        awaitBegun();
        String[] range = words.get(0).split("\\.\\.");
        for (long i = Long.parseLong(range[0]); i <= Long.parseLong(range[1]); i++) {
            command(List.of("publish", "type=1", "body=" + i));
            driver.awaitReply("publish", "published", deadline());
            told(List.of("published", "taken=1"));
        }
    }

    private void told(List<String> words) {
        Map<String, String> fields = Words.fields(words.subList(1, words.size()));
        String name = words.get(0);
        if (begun != null && (name.equals(REPLIES.get(begun)) || begun.equals(fields.get("command")))) {
            open &= !begun.equals("close");
            begun = null;
        }
        if (name.equals("message")) {
            JsonObject event = driver.await(name, any -> true, deadline());
            fields.forEach((field, value) -> match(field, value, value(event, field), JsonWriter.string(event)));
            return;
        }
        JsonObject event = driver.await(name, one -> matchAll(fields, one), deadline());
        fields.forEach((field, value) -> match(field, value, value(event, field), JsonWriter.string(event)));
    }

    /** {@code told-messages FROM..TO}: with these sequences, and bodies that are the same numbers. */
    private void toldMessages(List<String> words) {
        String[] range = words.get(0).split("\\.\\.");
        for (long i = Long.parseLong(range[0]); i <= Long.parseLong(range[1]); i++) {
            String number = String.valueOf(i);
            List<String> one = new ArrayList<>(List.of("message", "sequence=" + number));
            one.add(words.size() > 1 ? words.get(1) : "body=" + number);
            told(one);
        }
    }

    /** {@code told-gaps FROM..TO}: gaps that end with TO, with nothing in between. */
    private void toldGaps(String words) {
        String[] range = words.split("\\.\\.");
        long next = Long.parseLong(range[0]);
        while (next <= Long.parseLong(range[1])) {
            JsonObject gap = driver.await("gap", any -> true, deadline());
            match("from", String.valueOf(next), gap.getString("from"), JsonWriter.string(gap));
            next = Long.parseLong(gap.getString("to")) + 1;
        }
    }

    /** {@code until-counters name=value ...}: asks until they have these values. */
    private void untilCounters(List<String> words) throws IOException {
        awaitBegun();
        Map<String, String> fields = Words.fields(words);
        long deadline = deadline();
        JsonObject got;
        do {
            command(List.of("counters"));
            got = driver.await("counters", event -> true, deadline);
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the client's counters stay " + JsonWriter.string(got));
            }
            Thread.onSpinWait();
        } while (!matchAll(fields, got));
    }

    private static boolean matchAll(Map<String, String> fields, JsonObject event) {
        return fields.entrySet().stream().allMatch(field -> matches(field.getValue(), value(event, field.getKey())));
    }

    private static String value(JsonObject event, String field) {
        Object value = event.get(field);
        if (value == null) {
            return null;
        }
        return field.equals("body")
                ? new String(Base64.getDecoder().decode((String) value), UTF_8)
                : String.valueOf(value);
    }

    private void match(String name, String wantedValue, String got, String whole) {
        if (wantedValue.startsWith("?")) {
            variables.put(wantedValue.substring(1), got);
        } else if (!matches(wantedValue, got)) {
            throw new AssertionError(name + " is " + got + ", expected " + wantedValue + ": " + whole);
        }
    }

    /** {@code *}: any; {@code a/b}: one of them; {@code 3..5}: one of these numbers; {@code size:N}: so many chars. */
    private static boolean matches(String wantedValue, String got) {
        if (got == null) {
            return wantedValue.equals("-") || wantedValue.endsWith("/-");
        }
        if (wantedValue.equals("*") || wantedValue.startsWith("?") || wantedValue.equals(got)) {
            return true;
        }
        if (wantedValue.startsWith("size:")) {
            return got.length() == Integer.parseInt(wantedValue.substring(5));
        }
        int dots = wantedValue.indexOf("..");
        try {
            if (dots > 0) {
                long number = Long.parseLong(got);
                return Long.parseLong(wantedValue.substring(0, dots)) <= number
                        && number <= Long.parseLong(wantedValue.substring(dots + 2));
            }
            for (String one : wantedValue.split("/")) {
                if (one.equals(got) || one.startsWith("0x") && FrameText.number(one) == Long.parseLong(got)) {
                    return true;
                }
            }
        } catch (NumberFormatException e) {
            return false;
        }
        return false;
    }
}

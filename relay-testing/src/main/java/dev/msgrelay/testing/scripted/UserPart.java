package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The part of the client's user in a case: commands to the driver, and what it must report. */
final class UserPart {
    /** The verbs of its steps. */
    static final Set<String> VERBS = Set.of(
            "open",
            "do",
            "begin",
            "told",
            "told-messages",
            "told-gaps",
            "quiet",
            "until-counters",
            "never-told",
            "publish");

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

    private final Driver driver;
    private final RelayPart relay;
    private final Variables variables;
    private final Path directory;
    private final Duration patience;
    private boolean open;
    // The command whose reply has not been waited for; null: none.
    private String begun;

    /**
     * @param directory of the client's files
     * @param patience limit on each step
     */
    UserPart(Driver driver, RelayPart relay, Variables variables, Path directory, Duration patience) {
        this.driver = driver;
        this.relay = relay;
        this.variables = variables;
        this.directory = directory;
        this.patience = patience;
    }

    /** Plays a step, whose verb is one of {@link #VERBS}. */
    void play(String verb, List<String> words) throws Exception {
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
                open &= !begun.equals("close");
            }
            case "told" -> expectEvent(words);
            case "told-messages" -> toldMessages(words);
            case "told-gaps" -> toldGaps(words.get(0));
            case "quiet" -> driver.awaitQuiet(deadline());
            case "until-counters" -> untilCounters(words);
            case "never-told" -> {
                if (!driver.removeEvents(event -> event.getString("event").equals(words.get(0)))
                        .isEmpty()) {
                    throw new AssertionError("the client reported " + words.get(0));
                }
            }
            case "publish" -> publish(words);
            default -> throw new IllegalArgumentException(verb);
        }
    }

    /** Closes the client; what it had to report is told by now. */
    void closeClient() throws Exception {
        awaitBegun();
        if (driver.error() != null) {
            throw new AssertionError("at the end the client had also reported " + driver.error());
        }
        if (open) {
            JsonObject close = new JsonObject();
            close.put("command", "close");
            driver.send(close);
            relay.stop();
            // A publisher that finds no relay any more may say so.
            driver.awaitReply("close", "closed", deadline());
            driver.removeEvents(event -> event.getString("event").equals("error"));
        }
        List<JsonObject> left = driver.leftOver();
        if (!left.isEmpty()) {
            throw new AssertionError("at the end the client had also reported " + JsonWriter.string(left.get(0)));
        }
    }

    private long deadline() {
        return System.nanoTime() + patience.toNanos();
    }

    private void open(List<String> words) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("rounds", "-1");
        options.put("first_ms", "1");
        options.put("longest_ms", "5");
        options.put("connect_timeout_ms", String.valueOf(patience.toMillis()));
        options.put("handshake_timeout_ms", String.valueOf(patience.toMillis()));
        options.put("close_timeout_ms", words.get(0).equals("publisher") ? "1000" : null);
        options.putAll(Words.fields(words.subList(1, words.size())));
        JsonObject command = new JsonObject();
        command.put("command", "open");
        command.put("role", words.get(0));
        JsonArray endpoints = new JsonArray();
        String chosen = options.remove("at");
        Map<String, String> relays = relay.endpoints();
        for (String name : chosen == null ? relays.keySet() : List.of(chosen.split(","))) {
            endpoints.add(relays.getOrDefault(name, name));
        }
        command.put("endpoints", endpoints);
        JsonObject reconnect = new JsonObject();
        reconnect.put("rounds", Integer.parseInt(options.remove("rounds")));
        reconnect.put("first_ms", FrameText.number(options.remove("first_ms")));
        reconnect.put("longest_ms", FrameText.number(options.remove("longest_ms")));
        reconnect.put("jitter", 0);
        command.put("reconnect", reconnect);
        if (options.containsKey("tls")) {
            JsonObject tls = new JsonObject();
            for (String part : options.remove("tls").split(",")) {
                if (part.startsWith("name:")) {
                    tls.put("server_name", part.substring(5));
                } else if (part.endsWith("ca")) {
                    tls.put("ca", relay.tlsFile(part + ".pem").toString());
                } else {
                    tls.put("certificate", relay.tlsFile(part + ".pem").toString());
                    tls.put("key", relay.tlsFile(part + ".key").toString());
                }
            }
            command.put("tls", tls);
        }
        options.values().removeIf(Objects::isNull);
        options.forEach((name, value) -> command.put(name, option(name, value)));
        driver.send(command);
        driver.awaitReply("open", "opened", deadline());
        open = !driver.removeEvents(event -> event.getString("event").equals("opened"))
                .isEmpty();
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
            expectEvent(List.of("published", "taken=1"));
        }
    }

    private void expectEvent(List<String> words) {
        Map<String, String> fields = Words.fields(words.subList(1, words.size()));
        String name = words.get(0);
        if (begun != null && (name.equals(REPLIES.get(begun)) || begun.equals(fields.get("command")))) {
            begun = null;
        }
        if (name.equals("message")) {
            JsonObject event = driver.await(name, any -> true, deadline());
            fields.forEach(
                    (field, value) -> variables.match(field, value, value(event, field), JsonWriter.string(event)));
            return;
        }
        JsonObject event = driver.await(name, one -> matchAll(fields, one), deadline());
        fields.forEach((field, value) -> variables.match(field, value, value(event, field), JsonWriter.string(event)));
    }

    /** {@code told-messages FROM..TO}: with these sequences, and bodies that are the same numbers. */
    private void toldMessages(List<String> words) {
        String[] range = words.get(0).split("\\.\\.");
        for (long i = Long.parseLong(range[0]); i <= Long.parseLong(range[1]); i++) {
            String number = String.valueOf(i);
            List<String> one = new ArrayList<>(List.of("message", "sequence=" + number));
            one.add(words.size() > 1 ? words.get(1) : "body=" + number);
            expectEvent(one);
        }
    }

    /** {@code told-gaps FROM..TO}: gaps that end with TO, with nothing in between. */
    private void toldGaps(String words) {
        String[] range = words.split("\\.\\.");
        long next = Long.parseLong(range[0]);
        while (next <= Long.parseLong(range[1])) {
            JsonObject gap = driver.await("gap", any -> true, deadline());
            variables.match("from", String.valueOf(next), gap.getString("from"), JsonWriter.string(gap));
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
        return fields.entrySet().stream()
                .allMatch(field -> Variables.matches(field.getValue(), value(event, field.getKey())));
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
}

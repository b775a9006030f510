package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The two drivers of a live case, and what a user does with them. */
final class LiveClient {
    private final Driver publisher;
    private final Driver subscriber;
    private final Duration patience;

    /** @param patience limit on each step */
    LiveClient(Driver publisher, Driver subscriber, Duration patience) {
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.patience = patience;
    }

    long deadline() {
        return System.nanoTime() + patience.toNanos();
    }

    static JsonObject command(String name) {
        JsonObject command = new JsonObject();
        command.put("command", name);
        return command;
    }

    void reply(Driver driver, JsonObject command, String reply) throws IOException {
        driver.send(command);
        driver.await(reply, event -> true, deadline());
    }

    private void open(Driver driver, String role, Endpoint endpoint, Map<String, ?> options) throws IOException {
        JsonObject open = command("open");
        open.put("role", role);
        JsonArray endpoints = new JsonArray();
        endpoints.add(endpoint.toString());
        open.put("endpoints", endpoints);
        JsonObject reconnect = new JsonObject();
        reconnect.put("rounds", -1);
        reconnect.put("first_ms", 10);
        reconnect.put("longest_ms", 100);
        reconnect.put("jitter", 0.5);
        open.put("reconnect", reconnect);
        open.putAll(options);
        reply(driver, open, "opened");
    }

    void openSubscriber(Endpoint endpoint, Map<String, ?> options) throws IOException {
        open(subscriber, "subscriber", endpoint, options);
    }

    void openPublisher(Endpoint endpoint, Map<String, ?> options) throws IOException {
        Map<String, Object> all = new HashMap<>(options);
        all.put("acks", true);
        all.put("name", "conformance");
        open(publisher, "publisher", endpoint, all);
    }

    void close(Driver driver) throws IOException {
        reply(driver, command("close"), "closed");
    }

    static JsonObject stamped(int messages, int body) {
        JsonObject publish = command("publish");
        publish.put("type", 1);
        publish.put("body", Base64.getEncoder().encodeToString(new byte[body]));
        publish.put("count", messages);
        publish.put("stamp", true);
        return publish;
    }

    void publishStamped(int messages, int body) throws IOException {
        publisher.send(stamped(messages, body));
        JsonObject published = publisher.await("published", event -> true, deadline());
        if (published.getInt("taken") != messages) {
            throw new AssertionError("the client took " + published.getInt("taken") + " of " + messages + " messages");
        }
    }

    void publishText(int type, String... bodies) throws IOException {
        for (String body : bodies) {
            JsonObject publish = command("publish");
            publish.put("type", type);
            publish.put("body", Base64.getEncoder().encodeToString(body.getBytes(UTF_8)));
            reply(publisher, publish, "published");
        }
    }

    void flush() throws IOException {
        JsonObject flush = command("flush");
        flush.put("wait_ms", patience.toMillis());
        publisher.send(flush);
        if (!publisher.await("flushed", event -> true, deadline()).getBoolean("settled")) {
            throw new AssertionError("not all is acknowledged");
        }
    }

    static JsonArray ranges(int from, int to) {
        JsonArray pair = new JsonArray();
        pair.add(from);
        pair.add(to);
        JsonArray ranges = new JsonArray();
        ranges.add(pair);
        return ranges;
    }

    JsonObject nextInOrder() {
        return subscriber.awaitInOrder(deadline());
    }

    static long stamp(Base64.Decoder decoder, JsonObject message) {
        return ByteBuffer.wrap(decoder.decode(message.getString("body"))).getLong();
    }

    void expectStamp(long stamp, long sequence) {
        JsonObject event = nextInOrder();
        if (!event.getString("event").equals("message")
                || stamp(Base64.getDecoder(), event) != stamp
                || Long.parseLong(event.getString("sequence")) != sequence) {
            throw new AssertionError(
                    "expected message " + stamp + " with sequence " + sequence + ", got " + JsonWriter.string(event));
        }
    }

    void expectText(String sequence, String body) {
        JsonObject event = nextInOrder();
        if (!sequence.equals(event.getString("sequence"))
                || !body.equals(new String(Base64.getDecoder().decode(event.getString("body")), UTF_8))) {
            throw new AssertionError(
                    "expected " + body + " with sequence " + sequence + ", got " + JsonWriter.string(event));
        }
    }
}

package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.BufferedWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A case with a real relay: one driver publishes, another subscribes. Its only step is {@code live KIND name=value
 * ...}.
 */
final class LiveCase {
    private static final int STAMP = 8;
    private static final int HEADER = 8;

    /** Bytes behind which a client that is not read from has certainly filled every socket and the relay's log. */
    private static final int SLOW_BODY = 16 << 10;

    private static final int SLOW_MESSAGES = 3000;

    private final Case played;
    private final LiveRelays relays;
    private final Driver.Starter starter;
    private final Driver subscriber;
    private final Duration patience;
    private Driver publisher;
    private LiveClient client;
    private boolean closed;

    LiveCase(Case played, LiveRelays relays, Driver.Starter starter, Driver subscriber, Duration patience) {
        this.played = played;
        this.relays = relays;
        this.starter = starter;
        this.subscriber = subscriber;
        // A hundred thousand messages are one step.
        this.patience = patience.multipliedBy(5);
    }

    void play() throws Exception {
        List<String> words = played.steps().get(0).words();
        Map<String, String> options = Words.fields(words.subList(1, words.size()));
        publisher = starter.start();
        client = new LiveClient(publisher, subscriber, patience);
        try {
            switch (words.get(0)) {
                case "cuts" -> cuts(Integer.parseInt(options.get("messages")), Integer.parseInt(options.get("cuts")));
                case "kill" -> kill(Integer.parseInt(options.get("messages")), options.get("level"));
                case "slow" -> slow(options.get("policy"));
                case "round-trip" -> roundTrip(options.get("over"));
                case "transcript" -> transcript();
                case "state" -> {
                    new LiveState(client, publisher, subscriber, relays)
                            .play(
                                    Integer.parseInt(options.get("messages")),
                                    Integer.parseInt(options.get("cuts")),
                                    Boolean.parseBoolean(options.get("kill")));
                    closed = true;
                }
                case "latest" -> {
                    new LiveState(client, publisher, subscriber, relays)
                            .playSlow(Integer.parseInt(options.get("messages")));
                    closed = true;
                }
                default -> throw new IllegalArgumentException("no live case " + words.get(0));
            }
            if (!closed) {
                client.close(publisher);
                client.close(subscriber);
            }
            List<JsonObject> left = subscriber.leftOver();
            left.addAll(publisher.leftOver());
            if (!left.isEmpty()) {
                throw new AssertionError("at the end the client had also reported " + JsonWriter.string(left.get(0)));
            }
        } catch (AssertionError | Exception e) {
            String said = "\n  the publisher's last events:\n    " + publisher.lastWords()
                    + "\n  the subscriber's last events:\n    " + subscriber.lastWords();
            throw new AssertionError(e.getMessage() + said, e);
        } finally {
            publisher.kill();
        }
    }

    /** Every message comes once and in order, however often and wherever the connections break. */
    private void cuts(int messages, int cuts) throws Exception {
        long seed = new Random().nextLong();
        int body = 100;
        // Half of the cuts on either side, spread over all bytes.
        int farthest = (int) Math.min(Integer.MAX_VALUE, 2L * messages * (body + HEADER) / Math.max(1, cuts / 2 + 1));
        try (LiveRelays.Live relay = relays.start("--log-size=64m");
                CuttingProxy in = new CuttingProxy(relay.publish, new Random(seed), farthest, cuts / 2);
                CuttingProxy out = new CuttingProxy(relay.subscribe, new Random(seed + 1), farthest, cuts / 2)) {
            client.openSubscriber(out.endpoint(), Map.of("start", "earliest"));
            client.openPublisher(in.endpoint(), Map.of());
            client.publishStamped(messages, body);
            for (int i = 0; i < messages; i++) {
                client.expectStamp(i, i + 1);
            }
            client.flush();
            publisher.removeEvents(event -> true);
            if (in.cuts() + out.cuts() < Math.min(4, cuts)) {
                throw new AssertionError("only " + (in.cuts() + out.cuts()) + " cuts, seed " + seed);
            }
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", seed " + seed, e);
        }
    }

    /**
     * The relay is killed while messages are under way, and started again. With a level that survives, all come once
     * and in order. Without, what is missed is of a stream that the client was told is gone.
     */
    private void kill(int messages, String level) throws Exception {
        boolean durable = !level.equals("stream");
        String[] options = durable ? new String[] {"--journal=" + relays.directory()} : new String[0];
        try (LiveRelays.Live relay = relays.start(options)) {
            client.openSubscriber(relay.subscribe, Map.of("start", "earliest", "level", level));
            client.openPublisher(relay.publish, Map.of("level", level));
            client.publishStamped(messages / 2, STAMP);
            Base64.Decoder decoder = Base64.getDecoder();
            for (int i = 0; i < messages / 4; i++) {
                client.expectStamp(i, i + 1);
            }
            relay.kill();
            relay.start();
            if (durable) {
                for (int i = messages / 4; i < messages / 2; i++) {
                    client.expectStamp(i, i + 1);
                }
                client.publishStamped(messages / 2, STAMP);
                for (int i = 0; i < messages / 2; i++) {
                    client.expectStamp(i, messages / 2 + i + 1);
                }
            } else {
                long last = messages / 4 - 1;
                JsonObject event = client.nextInOrder();
                while (!event.getString("event").equals("stream_changed")) {
                    last = LiveClient.stamp(decoder, event);
                    event = client.nextInOrder();
                }
                // Whoever continues in the new stream has the publisher's messages again that were not acknowledged.
                client.publishStamped(messages, STAMP);
                long sequence = 0;
                long before = -1;
                do {
                    event = client.nextInOrder();
                    long now = Long.parseLong(event.getString("sequence"));
                    if (sequence != 0 && now != sequence + 1) {
                        throw new AssertionError("sequence " + now + " came after " + sequence);
                    }
                    sequence = now;
                    long stamp = LiveClient.stamp(decoder, event);
                    if (stamp <= before && stamp != 0) {
                        throw new AssertionError("message " + stamp + " came after " + before);
                    }
                    before = stamp;
                } while (before != messages - 1);
                if (last < 0) {
                    throw new AssertionError("no message came before the kill");
                }
            }
            client.flush();
            publisher.removeEvents(event -> true);
        }
    }

    /** A subscriber stops reading until the relay's log has gone past it. */
    private void slow(String policy) throws Exception {
        boolean journal = policy.equals("replay");
        boolean held = policy.equals("backpressure");
        java.util.ArrayList<String> options = new java.util.ArrayList<>(List.of(
                "--log-size=5632k", "--stall-timeout=120s", "--allow-policies=disconnect,backpressure,skip,replay"));
        if (journal) {
            options.add("--journal=" + relays.directory());
        }
        try (LiveRelays.Live relay = relays.start(options.toArray(String[]::new))) {
            client.openSubscriber(relay.subscribe, Map.of("start", "earliest", "policy", policy));
            client.openPublisher(relay.publish, Map.of());
            client.publishStamped(1, SLOW_BODY);
            client.expectStamp(0, 1);
            client.reply(subscriber, LiveClient.command("pause"), "paused");
            JsonObject publish = LiveClient.stamped(SLOW_MESSAGES, SLOW_BODY);
            publisher.send(publish);
            if (!held) {
                publisher.awaitReply("publish", "published", client.deadline());
                publisher.removeEvents(event -> event.getString("event").equals("published"));
                client.flush();
            }
            client.reply(subscriber, LiveClient.command("resume"), "resumed");
            account(policy);
            if (held) {
                publisher.awaitReply("publish", "published", client.deadline());
                publisher.removeEvents(event -> event.getString("event").equals("published"));
                client.flush();
            }
            publisher.removeEvents(event -> true);
        }
    }

    /** Each sequence up to the last comes as a message or within a gap; only some policies may have gaps. */
    private void account(String policy) {
        boolean mayMiss = policy.equals("skip") || policy.equals("disconnect");
        long next = 2;
        long missed = 0;
        while (next <= SLOW_MESSAGES + 1) {
            JsonObject event = client.nextInOrder();
            if (event.getString("event").equals("gap")) {
                if (Long.parseLong(event.getString("from")) != next) {
                    throw new AssertionError("expected " + next + ", got " + JsonWriter.string(event));
                }
                missed += Long.parseLong(event.getString("to")) + 1 - next;
                next = Long.parseLong(event.getString("to")) + 1;
            } else if (Long.parseLong(event.getString("sequence")) != next++) {
                throw new AssertionError("expected " + (next - 1) + ", got " + event.getString("sequence"));
            }
        }
        if (missed > 0 != mayMiss) {
            throw new AssertionError("with the policy " + policy + " " + missed + " messages were missed");
        }
    }

    private void roundTrip(String over) throws Exception {
        Path directory = relays.directory();
        Path tls = played.file().toAbsolutePath().getParent().resolve("../tls").normalize();
        String[] options =
                switch (over) {
                    case "unix" ->
                        new String[] {
                            "--publish-socket=" + directory.resolve("p.sock"),
                            "--subscribe-socket=" + directory.resolve("s.sock")
                        };
                    case "tls" ->
                        new String[] {
                            "--tls-cert=" + tls.resolve("server.pem"),
                            "--tls-key=" + tls.resolve("server.key"),
                            "--tls-clients=" + tls.resolve("ca.pem"),
                            "--tls-publish-port=0",
                            "--tls-subscribe-port=0"
                        };
                    default -> new String[0];
                };
        try (LiveRelays.Live relay = relays.start(options)) {
            String publish = relay.publish.toString();
            String subscribe = relay.subscribe.toString();
            JsonObject files = new JsonObject();
            if (over.equals("unix")) {
                publish = "unix:" + directory.resolve("p.sock");
                subscribe = "unix:" + directory.resolve("s.sock");
            } else if (over.equals("tls")) {
                publish = relay.address("tlsPublish");
                subscribe = relay.address("tlsSubscribe");
                files.put("ca", tls.resolve("ca.pem").toString());
                files.put("certificate", tls.resolve("client.pem").toString());
                files.put("key", tls.resolve("client.key").toString());
            }
            Map<String, Object> more = files.isEmpty() ? Map.of() : Map.of("tls", files);
            client.openSubscriber(Endpoint.parse(subscribe), with(more, "start", "earliest"));
            client.openPublisher(Endpoint.parse(publish), more);
            client.publishStamped(1000, 1000);
            for (int i = 0; i < 1000; i++) {
                client.expectStamp(i, i + 1);
            }
            client.flush();
            publisher.removeEvents(event -> true);
        }
    }

    private static Map<String, Object> with(Map<String, Object> options, String name, Object value) {
        Map<String, Object> all = new java.util.HashMap<>(options);
        all.put(name, value);
        return all;
    }

    /** A short session that shows every frame of a relay that a healthy client sees, kept with --record. */
    private void transcript() throws Exception {
        StringBuilder text = new StringBuilder();
        try (LiveRelays.Live relay = relays.start();
                CuttingProxy in =
                        new CuttingProxy(relay.publish, (n, what, bytes) -> note(text, 1, "publish", what, bytes));
                CuttingProxy out = new CuttingProxy(
                        relay.subscribe, (n, what, bytes) -> note(text, 2, "subscribe", what, bytes))) {
            client.openPublisher(in.endpoint(), Map.of());
            client.publishText(1, "one", "two", "three");
            client.flush();
            publisher.await("acked", event -> event.getString("number").equals("3"), client.deadline());
            client.openSubscriber(
                    out.endpoint(),
                    Map.of("start", "earliest", "types", LiveClient.ranges(1, 1), "name", "transcript-reader"));
            client.expectText("1", "one");
            client.expectText("2", "two");
            client.expectText("3", "three");
            client.publishText(2, "left out");
            client.publishText(1, "five");
            client.expectText("5", "five");
            JsonObject types = LiveClient.command("types");
            types.put("ranges", new JsonArray());
            subscriber.send(types);
            JsonObject answer = subscriber.await("types", event -> true, client.deadline());
            if (!answer.getString("sequence").equals("6")) {
                throw new AssertionError("the types hold from " + answer.getString("sequence") + ", expected 6");
            }
            client.publishText(2, "six");
            client.expectText("6", "six");
            client.flush();
            publisher.removeEvents(event -> true);
            client.close(subscriber);
            client.close(publisher);
            closed = true;
            if (relays.record() != null) {
                Files.createDirectories(relays.record());
                Path kept = relays.record().resolve("session.transcript");
                try (BufferedWriter file = Files.newBufferedWriter(kept, US_ASCII, StandardOpenOption.CREATE_NEW)) {
                    synchronized (text) {
                        file.write("# A publisher with ACKS, and a subscriber that changes its types.\n" + text);
                    }
                }
            }
        }
    }

    private static void note(StringBuilder text, int connection, String port, String what, ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        String rest = what.equals("open")
                ? port
                : what + (copy.length == 0 ? "" : " " + HexFormat.of().formatHex(copy));
        synchronized (text) {
            text.append(connection).append(' ').append(rest).append('\n');
        }
    }
}

package dev.msgrelay.testing.scripted;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A subscriber that starts with the state of a real relay, while types change and come and go, and connections break:
 * at each completed state what it has had is the stream that was published, type by type.
 */
final class LiveState {
    private static final int TYPES = 40;
    private static final int BODY = 16;
    private static final int SUPERSEDED = 4;

    /** Messages of one command. */
    private static final int AT_ONCE = 20;

    /** Most bytes between two cuts: about one state of all types. */
    private static final int FARTHEST = 3000;

    private static final int MORE = 100;

    /** Bytes of a body behind which a subscriber that does not read has soon filled every socket and the log. */
    private static final int SLOW_BODY = 16 << 10;

    /** @param stamp of its body; {@link #GONE}: an empty one */
    private record Message(int type, long stamp) {}

    private static final long GONE = -1;

    private final LiveClient client;
    private final Driver publisher;
    private final Driver subscriber;
    private final LiveRelays relays;
    private final Random random;
    private final long seed = new Random().nextLong();

    // The stream, from its first message on, and what the subscriber has had of it.
    private final List<Message> stream = new ArrayList<>();
    private final Map<Integer, Long> held = new HashMap<>();
    private long next = 1;
    private int completed;
    private long superseded;
    private int body = BODY;

    LiveState(LiveClient client, Driver publisher, Driver subscriber, LiveRelays relays) {
        this.client = client;
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.relays = relays;
        this.random = new Random(seed);
    }

    /**
     * Ends with both drivers closed.
     *
     * @param kill whether the relay, which has no journal, is killed and started again in the middle
     */
    void play(int messages, int cuts, boolean kill) throws Exception {
        try (LiveRelays.Live relay = relays.start("--log-size=16m", "--state=4m");
                CuttingProxy cutting = new CuttingProxy(relay.subscribe, new Random(seed), FARTHEST, cuts)) {
            client.openPublisher(relay.publish, Map.of());
            publish(messages / 2);
            client.flush();
            client.openSubscriber(cuts > 0 ? cutting.endpoint() : relay.subscribe, Map.of("start", "state"));
            if (kill) {
                readTo(stream.size());
                relay.kill();
                relay.start();
                awaitAnotherStream();
            }
            publish(messages / 2);
            client.flush();
            readTo(stream.size());
            // A reader that comes back has little to read, so a connection may last.
            while (cutting.cuts() < cuts) {
                publish(MORE);
                client.flush();
                readTo(stream.size());
            }
            // Once nothing is cut any more, the state is complete, if it never was before.
            while (completed == 0) {
                readOne();
            }
            if (!held.equals(newest(stream.size()))) {
                throw new AssertionError("the subscriber has " + held + ", the stream " + newest(stream.size()));
            }
            client.close(publisher);
            publisher.removeEvents(event -> true);
            client.close(subscriber);
            // A PING behind the last message may have completed what the last connection had asked for.
            subscriber.removeEvents(event -> event.getString("event").equals("state_complete"));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", seed " + seed, e);
        }
    }

    /** A subscriber with the policy latest stops reading until the log has gone past it several times. */
    void playSlow(int messages) throws Exception {
        body = SLOW_BODY;
        try (LiveRelays.Live relay = relays.start("--log-size=5632k", "--state=4m")) {
            client.openPublisher(relay.publish, Map.of());
            client.openSubscriber(relay.subscribe, Map.of("start", "state", "policy", "latest"));
            publish(AT_ONCE);
            readTo(AT_ONCE);
            client.reply(subscriber, LiveClient.command("pause"), "paused");
            publish(messages);
            // The relay takes all of it while this subscriber reads nothing.
            client.flush();
            client.reply(subscriber, LiveClient.command("resume"), "resumed");
            readTo(stream.size());
            if (!held.equals(newest(stream.size()))) {
                throw new AssertionError("the subscriber has " + held + ", the stream " + newest(stream.size()));
            }
            if (superseded == 0) {
                throw new AssertionError("no message was superseded of " + messages);
            }
            client.close(publisher);
            publisher.removeEvents(event -> true);
            client.close(subscriber);
            subscriber.removeEvents(event -> event.getString("event").equals("state_complete"));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", seed " + seed, e);
        }
    }

    private void publish(int messages) throws IOException {
        int left = messages;
        while (left > 0) {
            int type = 1 + random.nextInt(TYPES);
            boolean gone = random.nextInt(10) == 0;
            int count = gone ? 1 : Math.min(left, 1 + random.nextInt(AT_ONCE));
            JsonObject command = LiveClient.stamped(count, gone ? 0 : body);
            command.put("type", type);
            command.put("stamp", !gone);
            client.reply(publisher, command, "published");
            for (int i = 0; i < count; i++) {
                stream.add(new Message(type, gone ? GONE : i));
            }
            left -= count;
        }
    }

    private void awaitAnotherStream() {
        JsonObject event = client.nextInOrder();
        while (event.getString("event").equals("state_complete")) {
            event = client.nextInOrder();
        }
        if (!event.getString("event").equals("stream_changed")) {
            throw new AssertionError("expected another stream, got " + JsonWriter.string(event));
        }
        stream.clear();
        held.clear();
        next = 1;
    }

    private void readTo(long last) {
        while (next <= last) {
            readOne();
        }
    }

    private void readOne() {
        JsonObject event = client.nextInOrder();
        switch (event.getString("event")) {
            case "message" -> message(event);
            case "gap" -> gap(event);
            case "state_complete" -> complete(event);
            default -> throw new AssertionError("expected " + next + ", got " + JsonWriter.string(event));
        }
    }

    private void message(JsonObject event) {
        long sequence = Long.parseLong(event.getString("sequence"));
        if (sequence != next || sequence > stream.size()) {
            throw new AssertionError("expected " + next + ", got " + JsonWriter.string(event));
        }
        Message sent = stream.get((int) sequence - 1);
        boolean empty = event.getString("body").isEmpty();
        long stamp = empty ? GONE : LiveClient.stamp(Base64.getDecoder(), event);
        if (event.getInt("type") != sent.type || stamp != sent.stamp) {
            throw new AssertionError("expected " + sent + ", got " + JsonWriter.string(event));
        }
        if (empty) {
            held.remove(sent.type);
        } else {
            held.put(sent.type, stamp);
        }
        next++;
    }

    private void gap(JsonObject event) {
        if (Long.parseLong(event.getString("from")) != next || event.getInt("reason") != SUPERSEDED) {
            throw new AssertionError("expected " + next + ", got " + JsonWriter.string(event));
        }
        superseded += Long.parseLong(event.getString("to")) + 1 - next;
        next = Long.parseLong(event.getString("to")) + 1;
    }

    private void complete(JsonObject event) {
        long at = Long.parseLong(event.getString("next"));
        if (at != next) {
            throw new AssertionError("expected that it is complete at " + next + ", got " + JsonWriter.string(event));
        }
        if (!held.equals(newest(at - 1))) {
            throw new AssertionError("complete at " + at + " with " + held + ", the stream has " + newest(at - 1));
        }
        completed++;
    }

    /** Of each type the newest body of the stream's first messages, without types whose newest is empty. */
    private Map<Integer, Long> newest(long messages) {
        Map<Integer, Long> all = new HashMap<>();
        for (Message one : stream.subList(0, (int) messages)) {
            all.put(one.type, one.stamp);
        }
        all.values().removeIf(stamp -> stamp == GONE);
        return all;
    }
}

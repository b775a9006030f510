package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The subscriber process: one or more connections, each with a blocking thread of its own.
 *
 * <pre>
 *  --from ENDPOINT     where the messages come from
 *  --connections K     in this process (1)
 *  --first-index I     theirs among all subscribers are I..I+K-1 (0)
 *  --publishers N      that must be heard of, and are checked
 *  --check NAME        full, or none: only bytes are counted (full)
 *  --bytes-per-second R that each of them reads; it leaves at the end of the run wherever it is then (as they come)
 *  --wanted RANGES     of relay-client, the types that it chooses (all)
 *  --sampling N        record the latency of one in N messages, a power of two (1)
 *  --buffer BYTES      of the reader (256 KiB)
 * </pre>
 *
 * Beside these, what {@link WorkerArgs} names.
 */
public final class SubscriberMain {
    /** The longest silence while the tail is awaited: longer than a disk stalls. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** However slowly the tail trickles in, it is not awaited for longer. */
    private static final long DRAIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** How long the first messages may take; the controller has a shorter patience of its own. */
    private static final long PRIME_LIMIT_MILLIS = 150_000;

    /** The answer to HELLO. */
    private static final long WELCOME_LIMIT_MILLIS = 60_000;

    /** So long it listens on when all has come: for what comes twice, or from nowhere. */
    private static final long AFTER_END_MILLIS = 100;

    private static final long POLL_MILLIS = 2;

    private final WorkerArgs args;
    private final Control control;
    private final Receiver.Settings settings;
    private final int buffer;
    private final TypeRanges wanted;
    private final Policy policy;
    private final Access access;
    private Progress progress;
    private final List<Receiver> receivers = new ArrayList<>();

    private SubscriberMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        SizeTable sizes = args.sizes();
        this.wanted = args.flag("wanted") ? TypeRanges.parse(args.text("wanted")) : TypeRanges.ALL;
        this.policy = args.policy();
        this.access = Access.of(args);
        this.settings = new Receiver.Settings(
                args.flag("check") ? Check.valueOf(args.text("check").toUpperCase(Locale.ROOT)) : Check.FULL,
                args.number("publishers"),
                sizes,
                new TypeChoice(sizes, wanted),
                args.number("sampling", 1),
                args.library() ? null : policy,
                args.number("bytes-per-second", 0));
        this.buffer = args.number("buffer", FrameReader.DEFAULT_BUFFER);
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new SubscriberMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        connect();
        control.say("ready", Map.of("connections", receivers.size()));
        if (!isSlow()) {
            awaitPrimed();
        }
        progress = Progress.start(control, receivers);
        control.say("primed", Map.of());
        control.awaitWindow();
        Map<Integer, Long> sent = control.awaitSent();
        long waited = 0;
        if (!isSlow() && settings.check() == Check.FULL) {
            waited = drain(
                    sent.values().stream().mapToLong(settings.choice()::rank).sum());
        }
        report(isSlow() ? Map.of() : sent, waited);
    }

    /** Whether it is behind on purpose: it does not come to the end of the stream. */
    private boolean isSlow() {
        return settings.bytesPerSecond() > 0;
    }

    private void connect() throws IOException, InterruptedException {
        Endpoint relay = args.endpoint("from");
        String name = isSlow() ? "slow-" : "subscriber-";
        int index = args.number("first-index", 0);
        for (int i = 0; i < args.number("connections", 1); i++) {
            receivers.add(new Receiver(channel(relay), settings, buffer, control, name + index++, settings.newCheck()));
        }
        for (Receiver receiver : receivers) {
            if (!receiver.awaitWelcome(WELCOME_LIMIT_MILLIS)) {
                throw new IOException("no answer to HELLO: "
                        + (receiver.closed() == null ? "waited " + WELCOME_LIMIT_MILLIS + " ms" : receiver.closed()));
            }
        }
    }

    private ByteChannel channel(Endpoint relay) throws IOException {
        if (!args.library()) {
            return Sockets.connect(relay);
        }
        SubscriberOptions.Builder options =
                LibraryChannel.options(relay, access, policy).types(wanted);
        return new LibraryChannel(options, !wanted.isAll(), buffer);
    }

    private void awaitPrimed() throws IOException, InterruptedException {
        for (Receiver receiver : receivers) {
            if (!receiver.awaitPrimed(PRIME_LIMIT_MILLIS)) {
                throw new IOException("nothing heard of all publishers: "
                        + (receiver.closed() == null ? "timed out" : receiver.closed()));
            }
        }
    }

    /**
     * Waits for what is still on its way: until all is there, or nothing more has come for a while.
     *
     * @return how long it has waited for what is not there, in milliseconds; 0 where all is
     */
    private long drain(long sent) throws InterruptedException {
        long start = System.nanoTime();
        long lastChange = start;
        long lastBytes = -1;
        while (!receivers.stream().allMatch(receiver -> receiver.isComplete(sent))) {
            long now = System.nanoTime();
            long bytes = receivers.stream().mapToLong(Receiver::bytes).sum();
            if (bytes != lastBytes) {
                lastBytes = bytes;
                lastChange = now;
            }
            if (now - lastChange > SILENCE_NANOS || now - start > DRAIN_LIMIT_NANOS) {
                return TimeUnit.NANOSECONDS.toMillis(now - start);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        TimeUnit.MILLISECONDS.sleep(AFTER_END_MILLIS);
        return 0;
    }

    private void report(Map<Integer, Long> sent, long waitedMillis) throws IOException, InterruptedException {
        for (Receiver receiver : receivers) {
            receiver.stop();
        }
        JsonArray subscribers = new JsonArray();
        int index = args.number("first-index", 0);
        for (Receiver receiver : receivers) {
            JsonObject result = receiver.result(index++, sent);
            result.put("waitedMillis", waitedMillis);
            subscribers.add(result);
        }
        JsonObject result = new JsonObject();
        progress.last();
        result.put("subscribers", subscribers);
        if (settings.check() == Check.FULL) {
            result.put("checkNanos", new CheckCost(settings, control).nanosPerMessage());
        }
        control.say("result", result);
    }
}

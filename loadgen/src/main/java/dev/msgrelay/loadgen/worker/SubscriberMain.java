package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
 *  --count-only        check nothing, only walk the frames
 *  --body SIZES        of the messages, see BodySizes
 *  --seed N            of the order of sizes (1)
 *  --sampling N        record the latency of one in N messages, a power of two (1)
 *  --arrivals N        messages whose arrival is noted at most, for each connection (0)
 *  --publishers-ahead NANOS that their clock is ahead of this host's (0)
 *  --clock-ahead NANOS that this host's clock is ahead of the one that arrivals are told in (0)
 *  --buffer BYTES      of the reader (256 KiB)
 *  --tail-millis N     longest silence while the tail is awaited (2000)
 * </pre>
 */
public final class SubscriberMain {
    /** However slowly the tail trickles in, it is not awaited for longer. */
    private static final long DRAIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** How long the first messages may take; the controller has a shorter patience of its own. */
    private static final long PRIME_LIMIT_MILLIS = 60_000;

    private static final long POLL_MILLIS = 2;

    private final WorkerArgs args;
    private final Control control;
    private Progress progress;
    private final List<Receiver> receivers = new ArrayList<>();

    private SubscriberMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new SubscriberMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        connect();
        control.say("ready", Map.of("connections", receivers.size()));
        for (Receiver receiver : receivers) {
            if (!receiver.awaitPrimed(PRIME_LIMIT_MILLIS)) {
                throw new IOException("nothing heard of all publishers: "
                        + (receiver.closed() == null ? "timed out" : receiver.closed()));
            }
        }
        progress = Progress.start(control, () -> sum(false), () -> sum(true));
        control.say("primed", Map.of());
        control.awaitWindow();
        Map<Integer, Long> sent = control.awaitSent();
        if (!args.flag("count-only")) {
            drain(sent);
        }
        report(sent);
    }

    private void connect() throws IOException {
        Endpoint relay = args.endpoint("from");
        Expected expected = new Expected(
                args.flag("count-only") ? Expected.COUNT_ONLY : args.number("publishers"),
                SizeTable.of(BodySizes.parse(args.text("body")), args.number("seed", 1)),
                args.number("sampling", 1),
                args.number("arrivals", 0),
                args.nanos("publishers-ahead", 0));
        int buffer = args.number("buffer", FrameReader.DEFAULT_BUFFER);
        for (int i = 0; i < args.number("connections", 1); i++) {
            receivers.add(new Receiver(Sockets.connect(relay), expected, buffer, control));
        }
    }

    /** Waits for what is still on its way: until all is there, or nothing more has come for a while. */
    private void drain(Map<Integer, Long> sent) throws InterruptedException {
        long silence = TimeUnit.MILLISECONDS.toNanos(args.number("tail-millis", 2_000));
        long start = System.nanoTime();
        long lastChange = start;
        long lastBytes = -1;
        while (!complete(sent)) {
            long now = System.nanoTime();
            long bytes = sum(true);
            if (bytes != lastBytes) {
                lastBytes = bytes;
                lastChange = now;
            }
            if (now - lastChange > silence || now - start > DRAIN_LIMIT_NANOS) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private boolean complete(Map<Integer, Long> sent) {
        for (Receiver receiver : receivers) {
            if (receiver.closed() == null && receiver.accepted() < receiver.expected(sent)) {
                return false;
            }
        }
        return true;
    }

    private void report(Map<Integer, Long> sent) throws IOException, InterruptedException {
        for (Receiver receiver : receivers) {
            receiver.stop();
        }
        JsonArray subscribers = new JsonArray();
        Arrivals arrivals = new Arrivals();
        int index = args.number("first-index", 0);
        for (Receiver receiver : receivers) {
            receiver.addTo(arrivals, args.nanos("clock-ahead", 0));
            subscribers.add(receiver.result(index++, sent));
        }
        JsonObject result = new JsonObject();
        progress.last();
        result.put("sampling", args.number("sampling", 1));
        result.put("subscribers", subscribers);
        if (args.number("arrivals", 0) > 0) {
            result.put("arrivals", arrivals.encode());
        }
        control.say("result", result);
    }

    private long sum(boolean bytes) {
        long sum = 0;
        for (Receiver receiver : receivers) {
            sum += bytes ? receiver.bytes() : receiver.accepted();
        }
        return sum;
    }
}

package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.measure.PathMtu;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The publisher process: one or more connections, each with a publisher id of its own. At a fixed rate one thread
 * drives all of them; at full speed each has its own blocking thread.
 *
 * <pre>
 *  --to ENDPOINT         where the relay takes messages
 *  --connections K       in this process (1)
 *  --first-id I          their ids are I..I+K-1 (0)
 *  --total N             publishers of the whole run (K)
 *  --body BYTES          of every message
 *  --rate R              messages a second and connection; 0: as fast as it goes
 *  --write-size BYTES    of every write at full speed; 0: four segments of the path
 *  --yield-within MICROS see Waiter
 * </pre>
 */
public final class PublisherMain {
    /** Between two messages of a publisher that waits for all subscribers to have heard of it. */
    private static final long PRIME_EVERY_MILLIS = 10;

    private static final int SEGMENTS_PER_WRITE = 4;

    private final WorkerArgs args;
    private final Control control;
    private final List<PublishConnection> connections = new ArrayList<>();
    private final JsonObject result = new JsonObject();

    private PublisherMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new PublisherMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        connect();
        int writeSize = args.number("write-size", 0);
        int mtu = PathMtu.of(connections.get(0).channel());
        if (writeSize == 0) {
            writeSize = SEGMENTS_PER_WRITE * PathMtu.segment(mtu);
        }
        control.say("ready", Map.of("connections", connections.size(), "writeSize", writeSize, "pathMtu", mtu));
        Progress.start(control, () -> sum(false), () -> sum(true));
        Window window = prime();
        if (args.number("rate") == 0) {
            publishAtFullSpeed(window, writeSize);
        } else {
            publishPaced(window);
        }
        report();
    }

    private void connect() throws IOException {
        Endpoint relay = args.endpoint("to");
        int count = args.number("connections", 1);
        int firstId = args.number("first-id", 0);
        int body = args.number("body");
        if (body < LoadMessage.MIN_BODY) {
            throw new IllegalArgumentException("--body " + body + " is under " + LoadMessage.MIN_BODY + " bytes");
        }
        for (int i = 0; i < count; i++) {
            connections.add(new PublishConnection(firstId + i, body, relay.connect()));
        }
    }

    /** One small message now and then on each connection until the controller says that everyone has heard of us. */
    private Window prime() throws IOException, InterruptedException {
        while (control.window() == Window.NONE) {
            for (PublishConnection connection : connections) {
                connection.prime(System.nanoTime());
            }
            TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
        }
        return control.window();
    }

    private void publishAtFullSpeed(Window window, int writeSize) throws IOException, InterruptedException {
        Together.publish(
                connections, PublishConnection::id, connection -> FullSpeed.publish(connection, window, writeSize));
    }

    private void publishPaced(Window window) throws IOException {
        Waiter.sharpenTimer();
        Paced paced = new Paced(connections, window, args.number("rate"), args.number("total", connections.size()));
        paced.publish(new Waiter(TimeUnit.MICROSECONDS.toNanos(args.number("yield-within", 0))));
        result.put("late", paced.late());
        result.put("worstLateNanos", paced.worstNanos());
    }

    /** The connections stay open: a relay may drop what a vanished publisher left behind. */
    private void report() {
        JsonArray publishers = new JsonArray();
        for (PublishConnection connection : connections) {
            JsonObject one = new JsonObject();
            one.put("id", connection.id());
            one.put("messages", connection.messages());
            one.put("messagesMeasured", connection.messagesMeasured());
            one.put("bytesMeasured", connection.bytesMeasured());
            publishers.add(one);
        }
        result.put("publishers", publishers);
        Progress.last(control, () -> sum(false), () -> sum(true));
        control.say("result", result);
    }

    private long sum(boolean bytes) {
        long sum = 0;
        for (PublishConnection connection : connections) {
            sum += bytes ? connection.bytes() : connection.messages();
        }
        return sum;
    }
}

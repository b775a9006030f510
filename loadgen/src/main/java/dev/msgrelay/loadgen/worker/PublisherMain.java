package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.MessageStream;
import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The publisher process: one or more connections, each with a publisher id of its own. At a fixed rate one thread
 * drives all of them; at full speed each has its own blocking thread.
 *
 * <pre>
 *  --to ENDPOINT         where the relay takes messages; without it, it listens for those that take them
 *  --socket PATH         listens at a Unix socket instead of TCP
 *  --subscribe-port N    where it listens; 0: any free one (0)
 *  --connections K       in this process (1)
 *  --first-id I          their ids are I..I+K-1 (0)
 *  --total N             publishers of the whole run (K)
 *  --sampling N          with --ack: one message in N is timed, a power of two (1)
 *  --rate R              messages a second and connection; 0: as fast as it goes
 *  --processes N         of publishers at a fixed rate, on this machine at most (1)
 * </pre>
 *
 * Beside these, what {@link WorkerArgs} names.
 */
public final class PublisherMain {
    /** On loopback two segments: one fills it as well, four get less through a relay. On Ethernet a smaller write costs a call each. */
    private static final int WRITE_BYTES = 128 << 10;

    /** Messages that the library is given between two looks at the clock. */
    private static final int LIBRARY_BATCH = 64;

    /** Bytes kept until a disk has them: some milliseconds at full speed. Likewise of all publishers of this process. */
    private static final int DURABLE_BUFFER = 16 << 20;

    private static final int DURABLE_BUFFERS = 256 << 20;

    /** For a relay that has acknowledged everything: many of its cycles. */
    private static final Duration LAST_WORD = Duration.ofMillis(50);

    private final WorkerArgs args;
    private final Control control;
    private final List<PublishConnection> connections = new ArrayList<>();
    private final JsonObject result = new JsonObject();
    private Progress progress;
    private final SizeTable sizes;
    private final int batch;
    private final boolean library;
    private final Access access;

    private PublisherMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        this.sizes = args.sizes();
        this.library = args.library();
        this.access = Access.of(args);
        this.batch = library ? LIBRARY_BATCH : 0;
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new PublisherMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        connect();
        int writeSize = ready();
        progress = Progress.start(control, connections);
        Window window = PublishConnection.prime(connections, sizes, control);
        if (args.number("rate") == 0) {
            publishAtFullSpeed(writeSize);
        } else {
            publishPaced(window);
        }
        for (PublishConnection connection : connections) {
            connection.settle();
        }
        report();
        control.hold(this::close);
    }

    /** Says that it is connected; returns the bytes of every write at full speed. */
    private int ready() throws IOException {
        int segment = connections.get(0).outlet().segment();
        control.say("ready", Map.of());
        return segment > 0 ? Segments.wholeUpTo(WRITE_BYTES, segment) : 0;
    }

    private void close() throws IOException {
        for (PublishConnection connection : connections) {
            connection.close();
        }
    }

    private void connect() throws IOException {
        int count = args.number("connections", 1);
        int firstId = args.number("first-id", 0);
        if (!args.flag("to")) {
            for (SocketChannel channel : listen(count)) {
                connections.add(new PublishConnection(firstId++, new Outlet.Plain(channel)));
            }
            return;
        }
        Endpoint relay = args.endpoint("to");
        for (int i = 0; i < count; i++) {
            connections.add(new PublishConnection(firstId + i, outlet(relay, firstId + i)));
        }
    }

    private Outlet outlet(Endpoint relay, int id) throws IOException {
        if (!library) {
            return new Outlet.Plain(Sockets.connect(relay));
        }
        // A relay that goes on counts each publisher of each run on its own.
        String name = "loadgen-" + id + "-" + Long.toHexString(System.nanoTime());
        PublisherOptions.Builder options = LibraryOutlet.options(relay, access);
        Level level = args.acks();
        if (level == null) {
            return new LibraryOutlet(options, null, Duration.ZERO);
        }
        options.acks(name, level).producer(ProducerId.random()).firstNumber(0, 1);
        if (level != Level.STREAM) {
            options.bufferSize(Math.min(DURABLE_BUFFER, DURABLE_BUFFERS / args.number("connections", 1)));
        }
        int sampling = args.number("sampling", 1);
        return new LibraryOutlet(options, new LibraryOutlet.Acknowledged(1, sampling, control::window), LAST_WORD);
    }

    /** Waits for those who take the messages without a relay. */
    private List<SocketChannel> listen(int count) throws IOException {
        try (ServerSocketChannel server = Sockets.listen(args, "socket", "subscribe-port")) {
            control.say(
                    "listening", Map.of("subscribe", Sockets.endpoint(server).toString()));
            return Sockets.accept(server, count);
        }
    }

    private void publishAtFullSpeed(int writeSize) throws IOException, InterruptedException {
        Together.run(connections, connection -> connection.publish(stream(connection, writeSize), control::window));
    }

    /** The stream of this connection, from its next message on. */
    private MessageStream stream(PublishConnection connection, int writeSize) {
        int id = connection.id();
        long first = connection.messages();
        return batch > 0
                ? MessageStream.ofMessages(id, sizes, batch, first)
                : MessageStream.ofBytes(id, sizes, writeSize, first);
    }

    private void publishPaced(Window window) throws IOException, InterruptedException {
        Waiter.sharpenTimer();
        int rate = args.number("rate");
        int total = args.number("total", connections.size());
        Paced paced = new Paced(
                connections,
                id -> Schedule.staggered(window.sendFrom(), rate, id, total),
                window,
                FrameBatch.ofBytes(sizes),
                System::nanoTime);
        int processes = args.number("processes", 1);
        int cores = Runtime.getRuntime().availableProcessors();
        paced.publish(Waiter.among(processes, cores));
        result.put("late", paced.late());
        result.put("worstLateNanos", paced.worstNanos());
        result.put("lateness", Histograms.encode(paced.lateness()));
    }

    /** The connections stay open: a relay may drop what a vanished publisher left behind. */
    private void report() {
        JsonArray publishers = new JsonArray();
        connections.forEach(connection -> publishers.add(connection.json()));
        result.put("publishers", publishers);
        progress.last();
        control.say("result", result);
    }
}

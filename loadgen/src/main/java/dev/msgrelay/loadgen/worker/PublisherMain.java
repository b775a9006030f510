package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.loadgen.host.RealTime;
import dev.msgrelay.loadgen.load.BodySizes;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The publisher process: one or more connections, each with a publisher id of its own. At a fixed rate one thread
 * drives all of them; at full speed each has its own blocking thread.
 *
 * <pre>
 *  --to ENDPOINT         where the relay takes messages; without it, it listens for those that take them
 *  --socket PATH         listens at a Unix socket instead of TCP
 *  --bind ADDRESS        where it listens (127.0.0.1)
 *  --subscribe-port N    likewise; 0: any free one (0)
 *  --connections K       in this process (1)
 *  --first-id I          their ids are I..I+K-1 (0)
 *  --total N             publishers of the whole run (K)
 *  --body SIZES          of the messages, see BodySizes
 *  --seed N              of the order of sizes (1)
 *  --types N             that they carry in turn (1)
 *  --library             publishes with module relay-client
 *  --ack LEVEL           likewise, and keeps every message until it has got so far
 *  --sampling N          with --ack: one message in N is timed, a power of two (1)
 *  --tls                 speaks TLS; --tls-ca, --tls-cert, --tls-key, --tls-name: see Tls
 *  --rate R              messages a second and connection; 0: as fast as it goes
 *  --burst N             messages that are due at the same moment (1)
 *  --batch N             messages of every write; 0: as below, or at a fixed rate what is due (0)
 *  --write-size BYTES    of every write at full speed; 0: whole segments of the path, about 128 KiB
 *  --processes N         of publishers at a fixed rate, on this machine at most (1)
 *  --real-time           asks for it, see RealTime
 * </pre>
 */
public final class PublisherMain {
    /** Between two messages of a publisher that waits for all subscribers to have heard of it. */
    private static final long PRIME_EVERY_MILLIS = 10;

    /** On loopback two segments: one fills it as well, four get less through a relay. On Ethernet a smaller write costs a call each. */
    private static final int WRITE_BYTES = 128 << 10;

    /** Messages that the library is given between two looks at the clock. */
    private static final int LIBRARY_BATCH = 64;

    /** What is kept until a disk has it: some milliseconds at full speed. Likewise of all publishers of this process. */
    private static final int DURABLE_BUFFER = 16 << 20;

    private static final int DURABLE_BUFFERS = 256 << 20;

    private final WorkerArgs args;
    private final Control control;
    private final List<PublishConnection> connections = new ArrayList<>();
    private final JsonObject result = new JsonObject();
    private final RealTime realTime = new RealTime();
    private Progress progress;
    private final SizeTable sizes;
    private final int batch;
    private final boolean library;
    private final Tls tls;

    private PublisherMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        this.sizes = SizeTable.of(BodySizes.parse(args.text("body")), args.number("seed", 1))
                .withTypes(args.number("types", 1));
        this.library = args.flag("library");
        this.tls = Tls.of(args);
        int given = args.number("batch", 0);
        this.batch = library && given == 0 && args.number("rate") == 0 ? LIBRARY_BATCH : given;
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new PublisherMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        connect();
        int writeSize = ready();
        progress = Progress.start(control, () -> sum(false), () -> sum(true));
        Window window = prime();
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
        int writeSize = args.number("write-size", 0);
        int segment = connections.get(0).outlet().segment();
        if (segment > 0 && writeSize == 0) {
            writeSize = Segments.wholeUpTo(WRITE_BYTES, segment);
        }
        control.say("ready", Map.of());
        return writeSize;
    }

    private void close() throws IOException {
        realTime.close();
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
            return tls == null
                    ? new Outlet.Plain(Sockets.connect(relay))
                    : new Outlet.Plain(TlsSocket.connect(relay, tls));
        }
        // A relay that goes on counts each publisher of each run on its own.
        String name = "loadgen-" + id + "-" + Long.toHexString(System.nanoTime());
        PublisherOptions.Builder options = LibraryOutlet.options(relay, tls);
        if (!args.flag("ack")) {
            return new LibraryOutlet(options, null);
        }
        Level level = Level.ofFlag(args.text("ack"));
        options.acks(name, level).producer(ProducerId.random()).firstNumber(0, 1);
        if (level != Level.STREAM) {
            options.bufferSize(Math.min(DURABLE_BUFFER, DURABLE_BUFFERS / args.number("connections", 1)));
        }
        int sampling = args.number("sampling", 1);
        return new LibraryOutlet(options, new LibraryOutlet.Acknowledged(1, sampling, control::window));
    }

    /** Waits for those who take the messages without a relay. */
    private List<SocketChannel> listen(int count) throws IOException {
        try (ServerSocketChannel server = Sockets.listen(args, "socket", "subscribe-port")) {
            control.say(
                    "listening", Map.of("subscribe", Sockets.endpoint(server).toString()));
            return Sockets.accept(server, count);
        }
    }

    /** One small message now and then on each connection until the controller says that everyone has heard of us. */
    private Window prime() throws IOException, InterruptedException {
        FrameBatch single = FrameBatch.ofMessages(sizes, 1);
        while (control.window() == Window.NONE) {
            for (PublishConnection connection : connections) {
                // Whoever chooses one type alone hears of it with the first round.
                for (int i = 0; i < sizes.types(); i++) {
                    connection.prime(single, System.nanoTime());
                }
            }
            TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
        }
        return control.window();
    }

    private void publishAtFullSpeed(int writeSize) throws IOException, InterruptedException {
        Together.run(
                connections,
                PublishConnection::name,
                connection -> connection.publish(stream(connection, writeSize), control::window, 1));
    }

    /** What this connection sends, from its next message on. */
    private MessageStream stream(PublishConnection connection, int writeSize) {
        int id = connection.id();
        long first = connection.messages();
        if (batch > 0) {
            return new MessageStream.Batches(id, sizes, batch, first);
        }
        return sizes.isUniform()
                ? new MessageStream.Packed(id, sizes.max(), writeSize, first)
                : new MessageStream.Mixed(id, sizes, writeSize, first);
    }

    private void publishPaced(Window window) throws IOException, InterruptedException {
        Waiter.sharpenTimer();
        int rate = args.number("rate");
        int burst = args.number("burst", 1);
        int total = args.number("total", connections.size());
        Paced paced = new Paced(
                connections,
                id -> Schedule.staggered(window.sendFrom(), rate, burst, id, total),
                window,
                batch > 0 ? FrameBatch.ofMessages(sizes, batch) : FrameBatch.ofBytes(sizes),
                batch,
                System::nanoTime);
        int processes = args.number("processes", 1);
        int cores = Runtime.getRuntime().availableProcessors();
        if (args.flag("real-time")) {
            realTime.ask(processes, cores);
        }
        paced.publish(Waiter.among(processes, cores, realTime));
        result.put("realTime", realTime.priority());
        result.put("coresAwake", realTime.coresAwake());
        result.put("obstacle", realTime.obstacle());
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

    private long sum(boolean bytes) {
        long sum = 0;
        for (PublishConnection connection : connections) {
            sum += bytes ? connection.bytes() : connection.messages();
        }
        return sum;
    }
}

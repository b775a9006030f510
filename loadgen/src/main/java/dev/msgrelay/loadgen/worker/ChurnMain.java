package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The process of the clients that come and go: visits one after the other, on a schedule, those of publishers and of
 * subscribers in turn.
 *
 * <pre>
 *  publisher   | connect | so many messages | end | wait until the relay has ended too |
 *  subscriber  | connect | whatever is there first | leave in the middle of the rest |
 * </pre>
 *
 * All that publish have one publisher id and go on in its numbers, and the next one comes when the relay has taken
 * everything of the one before: so subscribers check these messages as they check all others. With acknowledgements they
 * also have one name and one producer id, under which the relay counts on from visit to visit.
 *
 * <pre>
 *  --to ENDPOINT       where they publish
 *  --from ENDPOINT     where they subscribe
 *  --rate R            visits a second
 *  --first-id I        the publisher id
 *  --body SIZES        of the messages, see BodySizes
 *  --seed N            of the order of sizes (1)
 *  --types N           that messages carry in turn (1)
 *  --library           they are those of module relay-client
 *  --tls               they speak TLS; --tls-ca, --tls-cert, --tls-key, --tls-name: see Tls
 *  --ack               of relay-client, and every message is to be acknowledged
 * </pre>
 */
public final class ChurnMain {
    /** Messages of a publisher's visit: it is there for them in one write. */
    private static final int MESSAGES = 10;

    /** A visit that is later than this did not come when it was meant to. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** For the relay's end of a connection: below the controller's patience. */
    private static final long PATIENCE_MILLIS = 10_000;

    private static final int READ = 4_096;

    private final WorkerArgs args;
    private final Control control;
    private final SizeTable sizes;
    private final Endpoint to;
    private final Endpoint from;
    private final int id;
    private final String name;
    private final ProducerId producer = ProducerId.random();
    private final Tls tls;
    private final TlsSocket.Buffers buffers = new TlsSocket.Buffers();
    private final PublishConnection visitors;
    private long visits;
    private long late;
    private long longestNanos;

    private ChurnMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        this.sizes = SizeTable.of(BodySizes.parse(args.text("body")), args.number("seed", 1))
                .withTypes(args.number("types", 1));
        this.to = args.endpoint("to");
        this.from = args.endpoint("from");
        this.id = args.number("first-id");
        this.tls = Tls.of(args);
        this.visitors = new PublishConnection(id, this::publish);
        this.name = "loadgen-churn-" + Long.toHexString(System.nanoTime());
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new ChurnMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        control.say("ready", Map.of("connections", 1));
        Progress progress = Progress.start(control, visitors::messages, visitors::bytes);
        Schedule schedule = Schedule.staggered(System.nanoTime(), args.number("rate"), 1, 0, 1);
        Waiter waiter = new Waiter(0);
        for (long visit = 0; ; visit++) {
            long due = schedule.intended(visit);
            long now = waiter.awaitMoment(due);
            Window window = control.window();
            if (now >= window.end()) {
                break;
            }
            visit(visit, now, window);
            if (now >= window.begin()) {
                visits++;
                late += now - due > LATE_NANOS ? 1 : 0;
                longestNanos = Math.max(longestNanos, System.nanoTime() - now);
            }
        }
        progress.last();
        report();
    }

    private void visit(long visit, long now, Window window) throws IOException, InterruptedException {
        try {
            if (visit % 2 == 0) {
                publishSome(now, window);
            } else {
                subscribe();
            }
        } catch (IOException e) {
            throw new IOException(
                    "visit " + visit + " of a " + (visit % 2 == 0 ? "publisher" : "subscriber") + ": " + e.getMessage(),
                    e);
        }
    }

    private void publishSome(long now, Window window) throws IOException {
        visitors.sendsAt(now, window);
        FrameBatch batch = FrameBatch.ofMessages(sizes, MESSAGES);
        long first = visitors.messages();
        for (int i = 0; i < MESSAGES; i++) {
            batch.add(LoadMessage.stamp(id, first + i), now);
        }
        visitors.write(batch.take(), first + MESSAGES);
    }

    private void publish(ByteBuffer frames) throws IOException {
        if (args.flag("library")) {
            try (LibraryOutlet outlet = new LibraryOutlet(to, tls, args.flag("ack") ? name : null, producer)) {
                outlet.write(frames);
                outlet.settle();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        } else if (tls != null) {
            try (TlsSocket channel = TlsSocket.connect(to, tls, buffers)) {
                new Outlet.Plain(channel).write(frames);
                channel.endOutput();
                awaitEnd(channel, channel.socket());
            }
        } else {
            try (SocketChannel channel = Sockets.connect(to)) {
                new Outlet.Plain(channel).write(frames);
                channel.shutdownOutput();
                awaitEnd(channel, channel);
            }
        }
    }

    /** The relay closes when it has read everything. */
    private static void awaitEnd(ByteChannel channel, SocketChannel socket) throws IOException {
        int n = readOnce(channel, socket);
        if (n == 0) {
            throw new IOException("the relay did not end the connection within " + PATIENCE_MILLIS + " ms");
        }
        if (n > 0) {
            throw new IOException("the relay said something to a publisher that had ended");
        }
    }

    /** Waits for something to read, or the end; 0 when the time is over. What TLS says for itself is nothing. */
    private static int readOnce(ByteChannel channel, SocketChannel socket) throws IOException {
        int n = 0;
        while (n == 0 && isReadable(socket)) {
            n = channel.read(ByteBuffer.allocate(READ));
        }
        return n;
    }

    /** Waits until there is something to read, or the end; false when the time is over. */
    private static boolean isReadable(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            return selector.select(PATIENCE_MILLIS) > 0;
        }
    }

    private void subscribe() throws IOException {
        if (args.flag("library")) {
            SubscriberOptions.Builder options = SubscriberOptions.builder(from);
            if (tls != null) {
                options.tls(tls.ofLibrary());
            }
            try (RelaySubscriber subscriber = RelaySubscriber.connect(options.build())) {
                subscriber.poll((sequence, type, body) -> {});
            }
        } else {
            try (ByteChannel channel = tls == null ? Sockets.connect(from) : TlsSocket.connect(from, tls, buffers)) {
                // Nothing may come when the others have ended: then it leaves as it came.
                if (readOnce(channel, channel instanceof TlsSocket over ? over.socket() : (SocketChannel) channel)
                        < 0) {
                    throw new IOException("closed by the relay");
                }
            }
        }
    }

    private void report() {
        JsonObject result = new JsonObject();
        result.put("publishers", new JsonArray(List.of(visitors.json())));
        result.put("visits", visits);
        result.put("visitsLate", late);
        result.put("longestVisitNanos", longestNanos);
        control.say("result", result);
    }
}

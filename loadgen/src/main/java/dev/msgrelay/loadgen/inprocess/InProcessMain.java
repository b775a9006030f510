package dev.msgrelay.loadgen.inprocess;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.MessageStream;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Outlet;
import dev.msgrelay.loadgen.worker.Progress;
import dev.msgrelay.loadgen.worker.PublishConnection;
import dev.msgrelay.loadgen.worker.Together;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.Sizes;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.RelayStats;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.GarbageCollections;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A relay embedded in this process, with publishers that are threads of it.
 *
 * <pre>
 *  --threads N              publishers
 *  --subscribers N          that are to be connected before the first message (0)
 *  --run-length N           messages of one publish; 1: single messages
 *  --slow-subscriber NAME   backpressure, disconnect or skip (disconnect)
 *  --transport NAME         auto, epoll or nio (auto)
 *  --event-loops N          of the relay (1)
 *  --mtu BYTES              of the relay
 *  --journal DIR            of the relay (none)
 *  --journal-keep SIZE      likewise (10g)
 *  --ring-size BYTES        of the relay; it holds two of the longest bodies
 *  --max-body BYTES         of the relay (1 MiB, or the longest that is sent)
 *  --publish-port N         where it listens; 0: any free one (0)
 *  --subscribe-port N
 *  --subscribe-socket PATH  a Unix socket for subscribers instead of TCP
 * </pre>
 *
 * Beside these, what {@link WorkerArgs} names.
 */
public final class InProcessMain {
    /** Between two looks at the clock: one for each message would cost as much as the message. */
    private static final int MESSAGES_A_CLOCK = 240;

    private static final long PRIME_EVERY_MILLIS = 10;

    /** For HELLOs that are on their way. */
    private static final long LET_IN_MILLIS = 50;

    private final WorkerArgs args;
    private final Control control;
    private final List<PublishConnection> publishers = new ArrayList<>();
    private final SizeTable sizes;

    private InProcessMain(WorkerArgs args, Control control) {
        this.args = args;
        this.sizes = args.sizes();
        this.control = control;
    }

    public static void main(String[] args) {
        // Not closed: the process ends with its controller, and a relay that drains would only make it wait.
        Control.main(
                args,
                (parsed, control) -> run(
                        parsed,
                        control,
                        new Embedded(RelayServer.start(config(parsed)), parsed.path("subscribe-socket"))));
    }

    /** What is in this process beside the publishers: a relay; a test puts another one in its place. */
    public interface Target {
        /**
         * A publisher of one thread.
         *
         * @param single for messages alone, not runs of them
         */
        Outlet newPublisher(boolean single);

        /** Where subscribers connect. */
        Endpoint subscribe() throws IOException;

        /** How many are connected. */
        long subscribers();

        /** What it says of itself, as far as the controller looks at it. */
        JsonObject stats();
    }

    /** Publishes into this one. */
    public static void run(WorkerArgs args, Control control, Target target) throws IOException, InterruptedException {
        new InProcessMain(args, control).run(target);
    }

    private void run(Target target) throws IOException, InterruptedException {
        int runLength = args.number("run-length");
        for (int id = 0; id < args.number("threads"); id++) {
            publishers.add(new PublishConnection(id, target.newPublisher(runLength == 1)));
        }
        control.say("ready", Map.of("subscribe", target.subscribe().toString()));
        Progress.everySecond(() -> control.say("stats", target.stats()));
        awaitSubscribers(target);
        PublishConnection.prime(publishers, sizes, control);
        Together.run(
                publishers,
                one -> one.publish(
                        MessageStream.ofMessages(one.id(), sizes, runLength, one.messages()),
                        control::window,
                        Math.max(1, MESSAGES_A_CLOCK / runLength)));
        control.say("stats", target.stats());
        JsonArray said = new JsonArray();
        publishers.forEach(one -> said.add(one.json()));
        control.say("result", Map.of("publishers", said));
    }

    private static RelayConfig config(WorkerArgs args) {
        RelayConfig.Builder config = RelayConfig.builder()
                .publishPort(args.number("publish-port", 0))
                .subscribePort(args.number("subscribe-port", 0))
                .slowSubscriber(Policy.valueOf(name(args, "slow-subscriber", "disconnect")))
                .transport(Transport.valueOf(name(args, "transport", "auto")))
                .eventLoops(args.number("event-loops", RelayConfig.AUTO_EVENT_LOOPS))
                .maxBody(args.number(
                        "max-body",
                        Math.max(FrameLayout.DEFAULT_MAX_BODY, args.sizes().max())));
        if (args.flag("bind")) {
            // The lanes between namespaces are this machine's own.
            config.host(args.text("bind")).insecure(true);
        }
        if (args.flag("mtu")) {
            config.mtu(args.number("mtu"));
        }
        if (args.flag("journal")) {
            config.journal(args.path("journal"));
        }
        if (args.flag("journal-keep")) {
            config.journalKeep(Sizes.parse(args.text("journal-keep"), Long.MAX_VALUE));
        }
        if (args.flag("ring-size")) {
            config.ringSize(args.number("ring-size"));
        }
        if (args.flag("subscribe-socket")) {
            config.subscribeSocket(args.path("subscribe-socket"));
        }
        return config.build();
    }

    private static String name(WorkerArgs args, String option, String otherwise) {
        return args.text(option, otherwise).toUpperCase(Locale.ROOT);
    }

    /** Each of them gets every message then, from the first one on. The controller bounds this wait. */
    private void awaitSubscribers(Target target) throws InterruptedException {
        while (target.subscribers() < args.number("subscribers", 0)) {
            TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
        }
        TimeUnit.MILLISECONDS.sleep(LET_IN_MILLIS);
    }

    /**
     * The relay itself.
     *
     * @param socket where subscribers connect instead of TCP; null: nowhere
     */
    private record Embedded(RelayServer relay, Path socket) implements Target {
        @Override
        public Outlet newPublisher(boolean single) {
            return new LocalOutlet(relay.newLocalPublisher(), single);
        }

        @Override
        public Endpoint subscribe() {
            return socket == null ? Endpoint.of(relay.subscribeAddress()) : Endpoint.unix(socket);
        }

        @Override
        public long subscribers() {
            return relay.stats().get(Counter.SUBSCRIBERS);
        }

        /** As far as the controller looks at it, what relay-server reports as {@code stats}. */
        @Override
        public JsonObject stats() {
            RelayStats stats = relay.stats();
            GarbageCollections gc = GarbageCollections.now();
            JsonObject json = new JsonObject();
            json.put("largestLagBytes", stats.get(Counter.LARGEST_LAG_BYTES));
            json.put("heldBackMillis", stats.get(Counter.HELD_BACK_MILLIS));
            json.put("backpressureMillis", stats.get(Counter.BACKPRESSURE_MILLIS));
            json.put("ringCells", stats.get(Counter.RING_CELLS));
            json.put("ringUsedCells", stats.get(Counter.RING_USED_CELLS));
            json.put("gcCount", gc.count());
            json.put("gcMillis", gc.millis());
            JsonObject closes = new JsonObject();
            stats.closes().forEach((reason, count) -> closes.put(reason.name(), count));
            json.put("closes", closes);
            return json;
        }
    }
}

package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.MessageCheck;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A subscriber that comes in the middle of the stream, checks every byte of what it gets, and leaves in the middle of the
 * rest. One of module relay-client goes on where it has left: then nothing is missing between its visits but what it is
 * told. Owned by one thread at a time.
 */
final class VisitingSubscriber implements ChurnMain.Visitor {
    private static final int BUFFER = 16 << 10;

    /** In a storm it leaves after so many messages at most, or after so long: there may be none. */
    private static final int MOST_MESSAGES = 5_000;

    private static final long STAY_MILLIS = 200;

    private static final long WELCOME_MILLIS = 60_000;

    /** Counts of a visit that are added up; what was lost is set against what was told. */
    private static final List<String> COUNTS =
            List.of("total", "duplicated", "reordered", "corrupted", "foreign", "gaps", "untrue");

    private final Endpoint relay;
    private final Tls tls;
    private final TlsSocket.Buffers buffers;
    private final boolean library;
    private final Policy policy;
    private final Control control;
    private final Receiver.Settings settings;
    private final int index;
    private final SplittableRandom random;
    private final boolean storm;
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long lost;
    private long missed;
    private String closed;

    /** Where the next visit goes on, as the last one has left it; epoch 0: anywhere. */
    private MessageCheck check;

    private long epoch;
    private long next;

    VisitingSubscriber(WorkerArgs args, Control control, SizeTable sizes, int index, boolean storm) {
        this.relay = args.endpoint("from");
        this.tls = Tls.of(args);
        this.library = args.library();
        this.buffers = tls == null || library ? null : new TlsSocket.Buffers();
        this.policy = args.policy();
        this.control = control;
        this.settings = new Receiver.Settings(
                Check.FULL,
                args.number("publishers"),
                0,
                sizes,
                new TypeChoice(sizes, TypeRanges.ALL),
                Receiver.Settings.UNTIMED,
                0,
                0,
                library ? null : policy,
                0);
        this.index = index;
        this.random = new SplittableRandom(index);
        this.storm = storm;
    }

    @Override
    public void visit(long now, Window window) throws IOException, InterruptedException {
        check = epoch == 0
                ? MessageCheck.fromAnywhere(settings.publishers(), settings.sizes(), settings.choice())
                : check.goOn();
        ByteChannel channel = connect();
        String name = "visiting-subscriber-" + index;
        int enough = storm ? random.nextInt(1, MOST_MESSAGES) : 1;
        Receiver receiver = new Receiver(channel, settings, BUFFER, control, name, check, enough);
        if (!receiver.awaitWelcome(WELCOME_MILLIS)) {
            throw new IOException(name + ": no answer to HELLO"
                    + (receiver.closed() == null ? " within " + WELCOME_MILLIS + " ms" : ": " + receiver.closed()));
        }
        receiver.awaitPrimed(STAY_MILLIS);
        receiver.stop();
        add(receiver.result(index, Map.of()));
        if (channel instanceof LibraryChannel left && left.firstSequence() > 0) {
            epoch = left.epoch();
            next = left.firstSequence() + receiver.taken();
        }
    }

    private ByteChannel connect() throws IOException {
        if (!library) {
            return Sockets.connect(relay, tls, buffers);
        }
        SubscriberOptions.Builder options = LibraryChannel.options(relay, tls, policy);
        if (epoch != 0) {
            options.fromSequence(epoch, next);
        }
        return new LibraryChannel(options, false, next, BUFFER);
    }

    private void add(JsonObject visit) {
        COUNTS.forEach(what -> counts.merge(what, visit.getLong(what), Long::sum));
        long missing = visit.getLong("lost");
        long told = visit.getLong("missed");
        lost += missing;
        // A visit that begins anywhere counts on its own: what was told in another one explains nothing that it misses.
        missed += library ? told : Math.min(told, missing);
        // A relay that may disconnect says why.
        boolean tooSlow =
                policy == Policy.DISCONNECT && visit.getInt("closeReason") == CloseReason.SLOW_SUBSCRIBER.code();
        if (closed == null && !tooSlow) {
            closed = visit.getString("closed");
        }
    }

    /** What was wrong with what it got, by the names of a subscriber's result; lost is what nobody has told. */
    Map<String, Long> counts() {
        Map<String, Long> all = new LinkedHashMap<>(counts);
        all.put("messages", all.getOrDefault("total", 0L));
        all.put("lost", Math.max(0, lost - missed));
        return all;
    }

    /** Why a connection ended that it had not left, or null. */
    String closed() {
        return closed;
    }
}

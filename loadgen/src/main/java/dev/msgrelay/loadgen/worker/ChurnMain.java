package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The process of those who come and go on a schedule, beside the load. Clients come one after the other, those of publishers
 * and of subscribers in turn; or as a storm, all at the same moment, once a second, each on a thread of its own. Others have
 * no part in the stream: they shake hands and leave, or ask the admin port for its metrics; several of them may be at it.
 *
 * <pre>
 *  publisher   | connect | some messages | leave; in a storm in the middle of one |
 *  subscriber  | connect | some of what comes | leave in the middle of the rest |
 * </pre>
 *
 * Each publisher goes on in its numbers, and comes again when the relay has taken everything of its last visit: so
 * subscribers check these messages as they check all others. With acknowledgements it has one name and one producer id; in
 * a storm it does not wait for them, and sends again what was not acknowledged. Of what a subscriber gets every byte is
 * checked; one of module relay-client goes on where it has left.
 *
 * <pre>
 *  --to ENDPOINT       where they publish
 *  --from ENDPOINT     where they subscribe; without it, they only shake hands at --to
 *  --admin ENDPOINT    instead: they ask there for /metrics, while somebody reads the page's events all the time
 *  --rate R            visits, or storms, a second
 *  --storm N           visitors that come at once; without it, one at a time
 *  --first-id I        the publisher ids are I, I+1, ...
 *  --publishers N      of the whole run: those that subscribers expect
 * </pre>
 *
 * Beside these, what {@link WorkerArgs} names.
 */
public final class ChurnMain {
    /** A visit that is later than this did not come when it was meant to. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Of those with no part in the stream: on a busy machine one visit takes longer than there is between two. */
    private static final int THREADS = 8;

    private final WorkerArgs args;
    private final Control control;
    private final List<VisitingPublisher> publishers = new ArrayList<>();
    private final List<VisitingSubscriber> subscribers = new ArrayList<>();

    /** In the order in which they come. */
    private final List<Visitor> all = new ArrayList<>();

    private final boolean storm;
    private final boolean apart;
    private final AtomicLong visits = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();

    private ChurnMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        this.storm = args.flag("storm");
        this.apart = !args.flag("from");
        if (apart) {
            Tls tls = Tls.of(args);
            for (int i = 0; i < Math.min(THREADS, args.number("rate")); i++) {
                all.add(args.flag("admin") ? (now, window) -> scrape() : shakeHands(tls));
            }
        } else {
            clients();
        }
    }

    private void clients() {
        SizeTable sizes = args.sizes();
        int visitors = args.number("storm", 2);
        int id = args.number("first-id");
        for (int i = 0; i < visitors; i += 2) {
            publishers.add(new VisitingPublisher(args, sizes, id++, storm));
        }
        for (int i = 1; i < visitors; i += 2) {
            subscribers.add(new VisitingSubscriber(args, control, sizes, i, storm));
        }
        all.addAll(publishers);
        all.addAll(subscribers);
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new ChurnMain(parsed, control).run());
    }

    /** Who comes and goes. */
    @FunctionalInterface
    interface Visitor {
        /**
         * Comes, and goes.
         *
         * @param now the time that its messages carry
         */
        void visit(long now, Window window) throws IOException, InterruptedException;
    }

    private void run() throws IOException, InterruptedException {
        control.say("ready", Map.of("connections", all.size()));
        Progress progress = Progress.start(
                control, publishers.stream().map(VisitingPublisher::connection).toList());
        Schedule schedule = Schedule.staggered(System.nanoTime(), args.number("rate"), 1, 0, 1);
        int threads = apart ? all.size() : 1;
        List<Together.Task<Schedule>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int first = i;
            tasks.add(visits -> visit(visits, first, threads));
        }
        if (args.flag("admin")) {
            tasks.add(visits -> watch());
        }
        Together.run(tasks, task -> task.run(schedule));
        for (VisitingPublisher publisher : publishers) {
            publisher.settle();
        }
        progress.last();
        report();
    }

    /** Each {@code step}-th visit. */
    private void visit(Schedule schedule, int first, int step) throws IOException, InterruptedException {
        Waiter waiter = new Waiter(0);
        for (long visit = first; ; visit += step) {
            long due = schedule.intended(visit);
            long now = waiter.awaitMoment(due);
            Window window = control.window();
            if (now >= window.end()) {
                return;
            }
            List<Visitor> coming = storm ? all : List.of(all.get((int) (visit % all.size())));
            Together.run(coming, visitor -> visitor.visit(now, window));
            if (now >= window.begin()) {
                visits.addAndGet(coming.size());
                late.addAndGet(now - due > LATE_NANOS ? coming.size() : 0);
                longestNanos.accumulateAndGet(System.nanoTime() - now, Math::max);
            }
        }
    }

    private Visitor shakeHands(Tls tls) {
        Endpoint relay = args.endpoint("to");
        TlsSocket.Buffers buffers = new TlsSocket.Buffers();
        return (now, window) -> TlsSocket.connect(relay, tls, buffers).close();
    }

    private void scrape() throws IOException {
        try (InputStream metrics = admin("metrics")) {
            if (metrics.readAllBytes().length == 0) {
                throw new IOException("the admin port's metrics are empty");
            }
        }
    }

    /** What an open page reads, until the run is over. */
    private void watch() throws IOException {
        byte[] some = new byte[4_096];
        try (InputStream events = admin("events")) {
            while (System.nanoTime() < control.window().end()) {
                if (events.read(some) < 0) {
                    throw new IOException("the admin port ended the page's events");
                }
            }
        }
    }

    private InputStream admin(String path) throws IOException {
        return URI.create("http://" + args.text("admin") + "/" + path).toURL().openStream();
    }

    private void report() {
        JsonObject result = new JsonObject();
        JsonArray published = new JsonArray();
        publishers.forEach(one -> published.add(one.connection().json()));
        result.put("publishers", published);
        result.put("visits", visits.get());
        result.put("visitsLate", late.get());
        result.put("longestVisitNanos", longestNanos.get());
        if (!subscribers.isEmpty()) {
            result.put("visitors", checked());
        }
        control.say("result", result);
    }

    /** What the subscribers got, all together. What one of them was told accounts for its own losses only. */
    private JsonObject checked() {
        JsonObject sum = new JsonObject();
        sum.put("index", 0);
        for (VisitingSubscriber one : subscribers) {
            one.counts().forEach((what, count) -> sum.put(what, sum.getLong(what, 0) + count));
        }
        subscribers.stream()
                .map(VisitingSubscriber::closed)
                .filter(closed -> closed != null)
                .findFirst()
                .ifPresent(closed -> sum.put("closed", closed));
        return sum;
    }
}

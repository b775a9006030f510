package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.loadgen.load.SizeTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The process of the clients that come and go, on a schedule: one after the other, those of publishers and of subscribers
 * in turn; or as a storm, all at the same moment, once a second, each on a thread of its own.
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
 *  --from ENDPOINT     where they subscribe
 *  --rate R            visits, or storms, a second
 *  --storm N           visitors that come at once; without it, one at a time
 *  --first-id I        the publisher ids are I, I+1, ...
 *  --publishers N      of the whole run: those that subscribers expect
 *  --policy NAME       subscribers say HELLO and ask for it; without it, they say nothing
 *  --body SIZES        of the messages, see BodySizes
 *  --seed N            of the order of sizes (1)
 *  --types N           that messages carry in turn (1)
 *  --library           they are those of module relay-client
 *  --tls               they speak TLS; --tls-ca, --tls-cert, --tls-key, --tls-name: see Tls
 *  --ack LEVEL         of relay-client, and every message is to be acknowledged
 * </pre>
 */
public final class ChurnMain {
    /** A visit that is later than this did not come when it was meant to. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final WorkerArgs args;
    private final Control control;
    private final List<VisitingPublisher> publishers = new ArrayList<>();
    private final List<VisitingSubscriber> subscribers = new ArrayList<>();
    private final boolean storm;
    private long visits;
    private long late;
    private long longestNanos;

    private ChurnMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
        this.storm = args.flag("storm");
        SizeTable sizes = SizeTable.of(BodySizes.parse(args.text("body")), args.number("seed", 1))
                .withTypes(args.number("types", 1));
        int visitors = args.number("storm", 2);
        int id = args.number("first-id");
        for (int i = 0; i < visitors; i += 2) {
            publishers.add(new VisitingPublisher(args, sizes, id++, storm));
        }
        for (int i = 1; i < visitors; i += 2) {
            subscribers.add(new VisitingSubscriber(args, control, sizes, i, storm));
        }
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new ChurnMain(parsed, control).run());
    }

    /** Who comes and goes. */
    interface Visitor {
        /** For people. */
        String name();

        /**
         * Comes, and goes.
         *
         * @param now the time that its messages carry
         */
        void visit(long now, Window window) throws IOException, InterruptedException;
    }

    private void run() throws IOException, InterruptedException {
        control.say("ready", Map.of("connections", publishers.size() + subscribers.size()));
        Progress progress = Progress.start(
                control,
                () -> publishers.stream()
                        .mapToLong(one -> one.connection().messages())
                        .sum(),
                () -> publishers.stream()
                        .mapToLong(one -> one.connection().bytes())
                        .sum());
        List<Visitor> all = Stream.<Visitor>concat(publishers.stream(), subscribers.stream())
                .toList();
        Schedule schedule = Schedule.staggered(System.nanoTime(), args.number("rate"), 1, 0, 1);
        Waiter waiter = new Waiter(0);
        for (long visit = 0; ; visit++) {
            long due = schedule.intended(visit);
            long now = waiter.awaitMoment(due);
            Window window = control.window();
            if (now >= window.end()) {
                break;
            }
            List<Visitor> coming = storm ? all : List.of(all.get((int) (visit % all.size())));
            visit(coming, now, window);
            if (now >= window.begin()) {
                visits += coming.size();
                late += now - due > LATE_NANOS ? coming.size() : 0;
                longestNanos = Math.max(longestNanos, System.nanoTime() - now);
            }
        }
        for (VisitingPublisher publisher : publishers) {
            publisher.settle();
        }
        progress.last();
        report();
    }

    private static void visit(List<Visitor> coming, long now, Window window) throws IOException, InterruptedException {
        if (coming.size() == 1) {
            coming.get(0).visit(now, window);
        } else {
            Together.run(coming, Visitor::name, visitor -> visitor.visit(now, window));
        }
    }

    private void report() {
        JsonObject result = new JsonObject();
        JsonArray published = new JsonArray();
        publishers.forEach(one -> published.add(one.connection().json()));
        result.put("publishers", published);
        result.put("visits", visits);
        result.put("visitsLate", late);
        result.put("longestVisitNanos", longestNanos);
        result.put("visitors", checked());
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

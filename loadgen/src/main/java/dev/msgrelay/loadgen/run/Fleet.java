package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Histograms;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.loadgen.worker.SubscriberMain;
import dev.msgrelay.loadgen.worker.Window;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The publisher and subscriber processes of one run. The controller's thread owns it. */
final class Fleet {
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long PRIMED_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** After the end of the window a publisher only completes what it has begun to write. */
    private static final long PUBLISHED_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** Above the bound that the subscriber has of its own. */
    private static final long DRAINED_NANOS = TimeUnit.SECONDS.toNanos(180);

    /** So many subscribers of one process have room in its usual heap; each has a histogram of a quarter of a megabyte. */
    private static final int SUBSCRIBERS_PER_USUAL_HEAP = 64;

    private static final int SUBSCRIBERS_PER_MEGABYTE = 2;

    /** How the name of a process of subscribers begins. */
    static final String SUBSCRIBER = "subscriber";

    private static final long LET_IN_MILLIS = 100;
    private static final int SUBSCRIBERS_LET_IN_A_MILLI = 2;

    private final Children children;
    private final Load load;
    private final List<Child> publishers = new ArrayList<>();
    private final List<Child> subscribers = new ArrayList<>();
    private Child slow;

    Fleet(Children children, Load load) {
        this.children = children;
        this.load = load;
    }

    /** Some of the publishers, or of the subscribers, in a process of their own. */
    @FunctionalInterface
    private interface Starter {
        Child start(int first, int count) throws IOException, RunException, InterruptedException;
    }

    /** Starts so many connections, as evenly in so many processes as can be, and waits until they are connected. */
    private List<Child> startAll(int total, int processes, Starter starter)
            throws IOException, RunException, InterruptedException {
        List<Child> all = new ArrayList<>();
        int first = 0;
        for (int i = 0; i < processes; i++) {
            int count = Load.share(total, processes, i);
            all.add(starter.start(first, count));
            first += count;
        }
        for (Child one : all) {
            await(one, "ready", READY_NANOS);
        }
        return all;
    }

    /** Waits for what one says; whoever fails meanwhile is told, and not this one's silence. */
    private JsonObject await(Child one, String event, long limitNanos) throws RunException, InterruptedException {
        return one.await(event, "say '" + event + "'", limitNanos, children.all());
    }

    /** Starts all subscribers and waits until they are connected. */
    void startSubscribers(Contestant.Started contestant) throws IOException, RunException, InterruptedException {
        subscribers.addAll(startAll(
                load.subscribers(),
                load.subscriberProcesses(),
                (first, count) -> startSubscribers(contestant, first, count)));
    }

    private Child startSubscribers(Contestant.Started contestant, int first, int count) throws IOException {
        List<String> args = subscriberOptions(contestant, count);
        option(args, "first-index", first);
        option(args, "sampling", load.sampling());
        flag(args, "library", load.clients().kind() == Clients.Kind.LIBRARY);
        if (!load.clients().wanted().isAll()) {
            option(args, "wanted", load.clients().wanted());
        }
        option(args, "check", load.audience().check());
        policy(args);
        int moreMegabytes = Math.max(0, count - SUBSCRIBERS_PER_USUAL_HEAP) / SUBSCRIBERS_PER_MEGABYTE;
        return children.startWorker(
                children.placement().subscribers(),
                name(SUBSCRIBER, first, count),
                SubscriberMain.class,
                args,
                new Children.WorkerJvm(moreMegabytes));
    }

    /** Starts the slow subscribers, if there are any, and waits until they are connected. */
    void startSlow(Contestant.Started contestant) throws IOException, RunException, InterruptedException {
        SlowReaders readers = load.slow();
        if (readers.count() == 0) {
            return;
        }
        List<String> args = subscriberOptions(contestant, readers.count());
        option(args, "bytes-per-second", readers.bytesPerSecond());
        option(args, "policy", readers.policy().flag());
        String name = readers.count() == 1 ? "slow subscriber" : "slow subscribers";
        slow = children.startWorker(children.placement().subscribers(), name, SubscriberMain.class, args);
        await(slow, "ready", READY_NANOS);
    }

    private List<String> subscriberOptions(Contestant.Started contestant, int connections) {
        List<String> args = content(load);
        option(args, "from", contestant.subscribe());
        args.addAll(contestant.access().args());
        option(args, "connections", connections);
        option(args, "publishers", load.publishers());
        return args;
    }

    /**
     * Gives the relay time to take in the subscribers that are connected: a plain one is told nothing when it is, and gets
     * what is published from then on.
     */
    void letThemIn() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(LET_IN_MILLIS + load.subscribers() / SUBSCRIBERS_LET_IN_A_MILLI);
    }

    /** Starts all publishers and waits until they are connected. */
    void startPublishers(Contestant.Started contestant) throws IOException, RunException, InterruptedException {
        publishers.addAll(startAll(
                load.publishers(),
                load.publisherProcesses(),
                (first, count) -> startPublishers(contestant, first, count)));
    }

    private Child startPublishers(Contestant.Started contestant, int first, int count) throws IOException {
        List<String> args = publisherOptions(load);
        publishTo(args, contestant, first);
        option(args, "connections", count);
        return children.startWorker(
                children.placement().publishers(),
                name("publisher", first, count),
                PublisherMain.class,
                args,
                Children.WorkerJvm.USUAL);
    }

    private void publishTo(List<String> args, Contestant.Started contestant, int firstId) {
        option(args, "to", contestant.publish());
        args.addAll(contestant.access().args());
        option(args, "first-id", firstId);
        flag(args, "library", load.clients().kind() == Clients.Kind.LIBRARY);
        Clients.Ack acks = load.clients().acks();
        if (acks.isAsked()) {
            option(args, "ack", acks.level().flag());
            option(args, "sampling", load.sampling());
        }
    }

    /** Subscribers that may be sent less than all say HELLO, so that they are told. */
    private void policy(List<String> args) {
        if (load.isChecked() && load.policy() != Policy.BACKPRESSURE) {
            option(args, "policy", load.policy().flag());
        }
    }

    /** Waits until every subscriber has heard of every publisher. */
    void awaitPrimed() throws RunException, InterruptedException {
        for (Child subscriber : subscribers) {
            subscriber.await("primed", "get the first message of every publisher", PRIMED_NANOS, children.all());
        }
    }

    void tell(Window window) {
        subscribers.forEach(child -> child.tell(window));
        publishers.forEach(child -> child.tell(window));
        slow().forEach(child -> child.tell(window));
    }

    /** Words of each publisher process at its end. */
    List<JsonObject> awaitPublished() throws RunException, InterruptedException {
        List<JsonObject> results = new ArrayList<>();
        for (Child publisher : publishers) {
            results.add(await(publisher, "result", PUBLISHED_NANOS));
        }
        return results;
    }

    /** Words of each subscriber process when the tail has come, or is overdue. */
    List<JsonObject> awaitDrained(List<JsonObject> published) throws RunException, InterruptedException {
        String command = Control.sentCommand(sent(published));
        subscribers.forEach(child -> child.send(command));
        List<JsonObject> results = new ArrayList<>();
        for (Child subscriber : subscribers) {
            results.add(await(subscriber, "result", DRAINED_NANOS));
        }
        return results;
    }

    /** Words of the process of the slow ones, where there are any. */
    List<JsonObject> awaitSlow() throws RunException, InterruptedException {
        if (slow == null) {
            return List.of();
        }
        slow.send(Control.sentCommand(Map.of()));
        return List.of(await(slow, "result", DRAINED_NANOS));
    }

    private static Map<Integer, Long> sent(List<JsonObject> published) {
        Map<Integer, Long> sent = new TreeMap<>();
        all(published, "publishers").forEach(one -> sent.put(one.getInt("id"), one.getLong("messages")));
        return sent;
    }

    /** Words of processes about each of their publishers, or subscribers. */
    static List<JsonObject> all(List<JsonObject> processes, String kind) {
        return processes.stream()
                .flatMap(process -> process.getArray(kind, new JsonArray()).stream())
                .map(JsonObject.class::cast)
                .toList();
    }

    /** Sum of a figure that each says; one that does not say it has none. */
    static long sum(List<JsonObject> all, String field) {
        return all.stream().mapToLong(one -> one.getLong(field, 0)).sum();
    }

    /** All of their values; empty where nobody says any. */
    static Histogram histogram(List<JsonObject> all, String field) {
        Histogram sum = Histograms.sparse();
        all.stream().filter(one -> one.has(field)).forEach(one -> sum.add(Histograms.decode(one.getString(field))));
        return sum;
    }

    /**
     * Messages whose latency every subscriber has to record: of those that were meant to be sent within the window, every one
     * whose number is a multiple of {@code sampling}; where subscribers choose types, whose rank is. -1 where publishers do not
     * tell.
     */
    static long samples(List<JsonObject> published, Load load) {
        int sampling = load.sampling();
        TypeChoice choice = load.choice();
        long samples = 0;
        for (JsonObject publisher : all(published, "publishers")) {
            if (!publisher.has("firstTimed")) {
                return -1;
            }
            samples += multiplesBelow(choice.rank(publisher.getLong("messages")), sampling)
                    - multiplesBelow(choice.rank(publisher.getLong("firstTimed")), sampling);
        }
        return samples;
    }

    private static long multiplesBelow(long number, int sampling) {
        return (number + sampling - 1) / sampling;
    }

    List<Child> publishers() {
        return publishers;
    }

    List<Child> subscribers() {
        return subscribers;
    }

    /** The process of the slow subscribers, where there are any. */
    List<Child> slow() {
        return slow == null ? List.of() : List.of(slow);
    }

    private static String name(String kind, int first, int count) {
        return count == 1 ? kind + " " + first : kind + "s " + first + ".." + (first + count - 1);
    }

    /** Arguments that tell every publisher process of what to send. */
    static List<String> publisherOptions(Load load) {
        List<String> args = content(load);
        option(args, "total", load.publishers());
        option(args, "rate", load.rate());
        option(args, "processes", load.publisherProcesses());
        return args;
    }

    private static List<String> content(Load load) {
        List<String> args = new ArrayList<>();
        option(args, "body", load.body());
        option(args, "types", load.content().types());
        return args;
    }

    private static void option(List<String> args, String name, Object value) {
        args.add("--" + name);
        args.add(value.toString());
    }

    private static void flag(List<String> args, String name, boolean given) {
        if (given) {
            args.add("--" + name);
        }
    }
}

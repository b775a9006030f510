package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.message.StateCheck;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Sent;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.loadgen.worker.SubscriberMain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** The publisher and subscriber processes of one run. The controller's thread owns it. */
final class Fleet {
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(120);
    static final long PUBLISHED_NANOS = TimeUnit.SECONDS.toNanos(120);
    /** Time limit for a subscriber's last messages. It is above the subscriber's own limit. */
    private static final long DRAINED_NANOS = TimeUnit.SECONDS.toNanos(180);
    /**
     * Connections for which a process's usual heap is enough. The histogram of a subscriber takes a quarter of a
     * megabyte.
     */
    private static final int CONNECTIONS_PER_USUAL_HEAP = 64;

    private static final int CONNECTIONS_PER_MEGABYTE = 2;
    private static final long LET_IN_MILLIS = 100;
    private static final int SUBSCRIBERS_LET_IN_A_MILLI = 2;

    private final Children children;
    private final Load load;
    private final List<Child> publishers = new ArrayList<>();
    private final List<Child> subscribers = new ArrayList<>();
    private final List<Child> slow = new ArrayList<>();

    Fleet(Children children, Load load) {
        this.children = children;
        this.load = load;
    }

    void startSubscribers(Contestant.Started contestant) throws IOException, RunException, InterruptedException {
        Site site = children.placement().subscribers();
        Job all = Job.client(contestant.subscribe(), contestant.access(), 0, load.subscribers(), load);
        start(subscribers, "subscriber", SubscriberMain.class, site, all, load.subscriberProcesses());
        if (load.slow().count() > 0) {
            slow.add(children.startWorker(site, "slow subscribers", SubscriberMain.class, all.ofSlowReaders()));
        }
        awaitReady(subscribers);
        awaitReady(slow);
    }

    /**
     * Starts all publishers and waits until they are connected. First, this sleeps until the relay has probably
     * accepted all subscribers. Without HELLO, no answer shows that, and earlier messages would be missed.
     */
    void startPublishers(Contestant.Started contestant) throws IOException, RunException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(LET_IN_MILLIS + load.subscribers() / SUBSCRIBERS_LET_IN_A_MILLI);
        Job all = Job.client(contestant.publish(), contestant.access(), 0, load.publishers(), load);
        Site site = children.placement().publishers();
        start(publishers, "publisher", PublisherMain.class, site, all, load.publisherProcesses());
        awaitReady(publishers);
    }

    private void start(List<Child> to, String kind, Class<?> main, Site site, Job all, int processes)
            throws IOException {
        int first = 0;
        int stateMegabytes = load.fromState() ? 1 + (load.types() * StateCheck.BYTES_OF_A_TYPE >> 20) : 0;
        for (int i = 0; i < processes; i++) {
            int count = Load.share(all.connections(), processes, i);
            Job job = Job.client(all.relay(), all.access(), first, count, load);
            int moreMegabytes =
                    Math.max(0, count - CONNECTIONS_PER_USUAL_HEAP) / CONNECTIONS_PER_MEGABYTE + count * stateMegabytes;
            to.add(children.startWorker(site, name(kind, first, count), main, job, moreMegabytes));
            first += count;
        }
    }

    /** Returns the congestion control of the connected publishers. */
    Congestion congestion() {
        return publishers.stream()
                .map(one -> Json.read(one.latest(Control.SOCKETS).json(), Congestion.class))
                .reduce(Congestion.NONE, Congestion::and);
    }

    private void awaitReady(List<Child> all) throws RunException, InterruptedException {
        for (Child one : all) {
            await(one, "ready", "say 'ready'", READY_NANOS);
        }
    }

    /** Waits for an event of one child. If another child fails meanwhile, its failure is reported. */
    private JsonNode await(Child one, String event, String what, long limitNanos)
            throws RunException, InterruptedException {
        return one.await(event, what, limitNanos, children.all());
    }

    void awaitPrimed() throws RunException, InterruptedException {
        for (Child subscriber : subscribers) {
            await(subscriber, "primed", "get the first message of every publisher", READY_NANOS);
        }
    }

    void sendWindow(Window window) {
        subscribers.forEach(child -> child.send("window", window));
        publishers.forEach(child -> child.send("window", window));
        slow.forEach(child -> child.send("window", window));
    }

    Sent awaitPublished() throws RunException, InterruptedException {
        List<Sent> all = new ArrayList<>();
        for (Child publisher : publishers) {
            all.add(Json.read(await(publisher, "result", "say what it sent", PUBLISHED_NANOS), Sent.class));
        }
        return Sent.sum(all);
    }

    /** Tells subscribers how many messages each publisher sent, and waits for their final reports. */
    Got awaitGot(List<Child> all, Map<Integer, Long> sent) throws RunException, InterruptedException {
        all.forEach(child -> child.send("sent", sent));
        List<Got> got = new ArrayList<>();
        for (Child one : all) {
            got.add(Json.read(await(one, "result", "say what it got", DRAINED_NANOS), Got.class));
        }
        return Got.sum(got);
    }

    List<Child> publishers() {
        return publishers;
    }

    List<Child> subscribers() {
        return subscribers;
    }

    List<Child> slow() {
        return slow;
    }

    private static String name(String kind, int first, int count) {
        return count == 1 ? kind + " " + first : kind + "s " + first + ".." + (first + count - 1);
    }
}

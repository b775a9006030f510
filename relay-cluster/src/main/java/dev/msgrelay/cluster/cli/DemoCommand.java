package dev.msgrelay.cluster.cli;

import dev.msgrelay.client.PublishException;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.CloseHelper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code relay-cluster demo}: three nodes, a publisher, two subscribers, and the leader killed. */
@ShortHelp(examples = {"relay-cluster demo", "relay-cluster demo --rate 5000", "relay-cluster demo --keep"})
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Kills the leader of a cluster of three nodes on this machine.",
            "Starts the nodes, a publisher with acknowledgements and two subscribers, kills the leader, restarts it,"
                    + " and reports what happened to the messages. Takes about a minute, and leaves nothing behind."
        })
final class DemoCommand implements Callable<Integer> {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration GO_ON = Duration.ofSeconds(30);
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(50), Duration.ofMillis(500));
    private static final int NODES = 3;

    @Spec
    private CommandSpec spec;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "500", description = "Messages per second, 1..100000.")
    private int rate;

    @Option(names = "--keep", description = "Keeps the nodes' files, and prints their directory.")
    private boolean keep;

    private PrintWriter out;
    private final long startNanos = System.nanoTime();

    @Override
    public Integer call() throws IOException, InterruptedException {
        out = spec.commandLine().getOut();
        if (rate < 1 || rate > 100_000) {
            spec.commandLine().getErr().println("relay-cluster: --rate " + rate + " is not within 1..100000");
            return 2;
        }
        try (LocalCluster cluster = new LocalCluster(NODES)) {
            Thread whenKilled = new Thread(() -> CloseHelper.quietClose(cluster), "relay-cluster-demo-killed");
            Runtime.getRuntime().addShutdownHook(whenKilled);
            boolean good = run(cluster);
            if (keep) {
                cluster.keepDirectory();
                say("files: " + cluster.directory());
            }
            Runtime.getRuntime().removeShutdownHook(whenKilled);
            return good ? 0 : 1;
        }
    }

    private void say(String what) {
        out.printf(Locale.ROOT, "%6.1f s  %s%n", (System.nanoTime() - startNanos) / 1e9, what);
        out.flush();
    }

    private boolean run(LocalCluster cluster) throws IOException, InterruptedException {
        say("three nodes start, each a process of relay-server, in " + cluster.directory());
        for (int node = 1; node <= NODES; node++) {
            cluster.start(node);
        }
        cluster.awaitReady(START);
        int leader = cluster.leader();
        int other = leader % NODES + 1;
        say("node " + leader + " leads; a publisher and a subscriber connect to it first, another subscriber to node "
                + other);
        try (Load load = new Load(cluster, leader, other, rate)) {
            load.run(Duration.ofSeconds(5));
            say(load.summary());
            say("kill -9 of node " + leader + ", which leads");
            long killed = System.nanoTime();
            long before = load.acknowledged();
            cluster.kill(leader);
            long first = load.runUntilAcknowledged(before, GO_ON);
            if (first < 0) {
                say("nothing was acknowledged for " + GO_ON.toSeconds() + " s: " + load.summary());
                return false;
            }
            say(String.format(
                    Locale.ROOT,
                    "the first acknowledgement after %.2f s; node %d leads",
                    (first - killed) / 1e9,
                    cluster.leader()));
            load.run(Duration.ofSeconds(3));
            say(load.summary());
            say("node " + leader + " is started again: it reads the log, and then what it has missed");
            cluster.start(leader);
            cluster.awaitReady(START);
            load.run(Duration.ofSeconds(3));
            boolean good = load.settle(GO_ON);
            say(load.summary());
            Check back = new Check("back", SubscriberOptions.builder(cluster.subscribe(leader)), load.acknowledged());
            back.join(GO_ON);
            good &= back.isGood(load.acknowledged());
            say("node " + leader + " has the stream, too: " + back.summary());
            out.println();
            out.println(
                    good
                            ? "PASS: each of " + load.acknowledged()
                                    + " acknowledged messages came once and in order, to each of the subscribers"
                            : "FAIL");
            return good;
        }
    }

    /** A publisher and two subscribers. */
    private static final class Load implements AutoCloseable {
        private final RelayPublisher publisher;
        private final Check first;
        private final Check second;
        private final int rate;
        private final AtomicLong acknowledged = new AtomicLong();
        private long published;

        Load(LocalCluster cluster, int leader, int other, int rate) throws IOException {
            this.rate = rate;
            first = new Check("one", SubscriberOptions.builder(cluster.subscribeAt(leader)), Long.MAX_VALUE);
            second = new Check("other", SubscriberOptions.builder(cluster.subscribeAt(other)), Long.MAX_VALUE);
            publisher = RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(leader))
                    .acks("demo")
                    .reconnect(RECONNECT)
                    .onAck((number, sequence) -> acknowledged.set(number))
                    .build());
        }

        long acknowledged() {
            return acknowledged.get();
        }

        String summary() {
            return published + " published, " + acknowledged() + " acknowledged; " + first.summary() + "; "
                    + second.summary();
        }

        void run(Duration time) throws InterruptedException {
            publish(System.nanoTime() + time.toNanos(), Long.MAX_VALUE);
        }

        /** Publishes until one more message is acknowledged, and returns its {@code nanoTime}; -1: it came too late. */
        long runUntilAcknowledged(long before, Duration atMost) throws InterruptedException {
            publish(System.nanoTime() + atMost.toNanos(), before + 1);
            return acknowledged() > before ? System.nanoTime() : -1;
        }

        private void publish(long end, long until) throws InterruptedException {
            long interval = TimeUnit.SECONDS.toNanos(1) / rate;
            long next = System.nanoTime();
            ByteBuffer body = ByteBuffer.allocate(100);
            while (System.nanoTime() - end < 0 && acknowledged() < until) {
                while (System.nanoTime() - next >= 0) {
                    body.putLong(0, published + 1);
                    if (publisher.publish(1, body) != PublishOutcome.ACCEPTED) {
                        // The publisher's buffer is full of messages without acknowledgement.
                        break;
                    }
                    published++;
                    next += interval;
                }
                next = Math.max(next, System.nanoTime() - TimeUnit.SECONDS.toNanos(1));
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }

        /** Waits until all messages are acknowledged and received. Returns whether they are. */
        boolean settle(Duration atMost) throws InterruptedException {
            try {
                publisher.flush(atMost);
            } catch (PublishException e) {
                return false;
            }
            first.until(published, atMost);
            second.until(published, atMost);
            return acknowledged() == published && first.isGood(published) && second.isGood(published);
        }

        @Override
        public void close() {
            try {
                publisher.close();
            } catch (PublishException e) {
                // The summary shows that messages lack acknowledgements.
            }
            first.close();
            second.close();
        }
    }

    /** A subscriber that checks that each message comes once, and in order. */
    private static final class Check implements AutoCloseable {
        private final RelaySubscriber subscriber;
        private final Thread thread;
        private final String name;
        private final long enough;
        private volatile long last;
        private volatile long wrong;
        private volatile String end = "";

        Check(String name, SubscriberOptions.Builder options, long enough) throws IOException {
            this.name = name;
            this.enough = enough;
            subscriber = RelaySubscriber.open(options.name("demo-" + name)
                    .fromEarliest()
                    .reconnect(RECONNECT)
                    .onGap(gap -> wrong++)
                    .build());
            thread = new Thread(this::read, "demo-subscriber-" + name);
            thread.setDaemon(true);
            thread.start();
        }

        private void read() {
            try {
                while (last < enough && subscriber.poll(this::check) >= 0) {
                    // The next messages.
                }
            } catch (IOException e) {
                end = ", ended: " + e.getMessage();
            }
        }

        private void check(long sequence, int type, ByteBuffer body) {
            long number = body.getLong(body.position());
            if (number != last + 1 || sequence != number) {
                wrong++;
            }
            last = number;
        }

        void until(long number, Duration atMost) throws InterruptedException {
            long deadline = System.nanoTime() + atMost.toNanos();
            while (last < number && System.nanoTime() - deadline < 0 && thread.isAlive()) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }

        void join(Duration atMost) throws InterruptedException {
            thread.join(atMost.toMillis());
            subscriber.close();
        }

        boolean isGood(long number) {
            return last == number && wrong == 0 && end.isEmpty();
        }

        String summary() {
            return "subscriber " + name + " has " + last
                    + (wrong == 0 ? ", each once and in order" : ", " + wrong + " WRONG") + end;
        }

        @Override
        public void close() {
            subscriber.close();
        }
    }
}

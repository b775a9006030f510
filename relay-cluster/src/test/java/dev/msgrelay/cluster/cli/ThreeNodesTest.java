package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.cluster.ClusterSnapshot;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.cli.RelayServerMain;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes as processes, on loopback: first a leader is killed, then strangers, garbage and would-be nodes come to
 * their ports, and the nodes are none the worse for any. One cluster for all cases, since starting nodes is nearly all
 * that they cost.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThreeNodesTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));
    private static final int PORTS = 5;

    /** Bytes of a batch's version, node and cluster, which are not all of its header. */
    private static final int LEAST_HEADER = 16;

    /** More bytes than a header has. */
    private static final int MOST_HEADER = 256;

    private static LocalCluster cluster;

    @TempDir
    private Path temporary;

    @BeforeAll
    static void startNodes() throws IOException, InterruptedException {
        cluster = new LocalCluster(3, "", List.of("--admin", "127.0.0.1:0"));
        for (int node = 1; node <= 3; node++) {
            cluster.start(node);
        }
        cluster.awaitReady(WAIT);
    }

    @AfterAll
    static void endNodes() throws IOException {
        cluster.close();
    }

    /** All messages of one node's stream, up to the last one, from its earliest on. */
    private static final class Reader implements AutoCloseable {
        final RelaySubscriber subscriber;
        final CRC32C digest = new CRC32C();
        long last;
        long doubled;
        long gaps;

        Reader(SubscriberOptions.Builder options) throws IOException {
            subscriber = RelaySubscriber.open(options.fromEarliest()
                    .reconnect(RECONNECT)
                    .onGap(gap -> gaps++)
                    .build());
        }

        void readUpTo(long number) throws IOException {
            long end = System.nanoTime() + WAIT.toNanos();
            while (last < number && System.nanoTime() - end < 0) {
                subscriber.poll((sequence, type, body) -> {
                    long found = body.getLong(body.position());
                    if (found != last + 1 || sequence != found) {
                        doubled++;
                    }
                    last = found;
                    digest.update(body);
                });
            }
            assertThat(last).isGreaterThanOrEqualTo(number);
        }

        @Override
        public void close() {
            subscriber.close();
        }
    }

    private static void publish(RelayPublisher publisher, long from, long to) throws InterruptedException {
        ByteBuffer body = ByteBuffer.allocate(64);
        for (long number = from; number <= to; number++) {
            body.putLong(0, number);
            assertThat(publisher.publish(7, body, WAIT)).hasToString("ACCEPTED");
        }
    }

    /** First, since it counts the stream's messages from 1. Afterwards all nodes run again. */
    @Order(1)
    @Test
    void aLeaderThatIsKilledLosesAndDoublesNothing() throws IOException, InterruptedException {
        int leader = cluster.leader();
        int other = leader % 3 + 1;
        int third = other % 3 + 1;
        AtomicLong acknowledged = new AtomicLong();
        try (RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(other))
                        .acks("test")
                        .reconnect(RECONNECT)
                        .onAck((number, sequence) -> acknowledged.set(number))
                        .build());
                RelayPublisher moving = RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(leader))
                        .acks("moving")
                        .reconnect(RECONNECT)
                        .build());
                Reader resuming = new Reader(SubscriberOptions.builder(cluster.subscribeAt(leader)))) {
            publish(publisher, 1, 3_000);
            publisher.flush(WAIT);
            resuming.readUpTo(1_000);
            allReportHowEachNodeStands(leader, other, third);

            assertThatIOException()
                    .isThrownBy(() -> ClusterSnapshot.takeSnapshot(cluster.file(), other))
                    .withMessage("node " + other + " took no snapshot: it does not lead");

            // Messages that are not acknowledged yet are under way to a leader that dies.
            publish(publisher, 3_001, 6_000);
            cluster.kill(leader);
            assertThatIOException()
                    .isThrownBy(() -> ClusterSnapshot.takeSnapshot(cluster.file(), leader))
                    .withMessageContaining("node " + leader + " does not run here");
            publish(publisher, 6_001, 9_000);
            publisher.flush(WAIT);
            assertThat(acknowledged).hasValue(9_000);
            // A publisher and a subscriber of the dead node go on at another one.
            publish(moving, 9_001, 9_100);
            moving.flush(WAIT);
            resuming.readUpTo(9_100);
            assertThat(resuming.doubled + resuming.gaps).isZero();

            // The rest of the life is read from the snapshot on, and later messages from the log.
            ClusterSnapshot.takeSnapshot(cluster.file(), cluster.leader());
            publish(moving, 9_101, 9_200);
            moving.flush(WAIT);
            long digest = digest(other, 9_200);
            assertThat(digest(third, 9_200)).isEqualTo(digest);
            cluster.start(leader);
            cluster.awaitReady(WAIT);
            publish(moving, 9_201, 9_300);
            readsOn(leader, lastBefore(leader), 9_300);

            // The log behind its snapshot says nothing of who leads: its publishers are served all the same.
            cluster.kill(leader);
            cluster.start(leader);
            cluster.awaitReady(WAIT);
            assertThat(lastBefore(leader)).isEqualTo(9_100);
            try (RelayPublisher late = RelayPublisher.open(
                    PublisherOptions.builder(List.of(cluster.publishAt(leader).get(0)))
                            .acks("late")
                            .reconnect(RECONNECT)
                            .build())) {
                publish(late, 9_301, 9_310);
                late.flush(WAIT);
            }

            // A node that has the snapshot goes on from there.
            cluster.kill(third);
            cluster.kill(leader);
            aMinorityIsNotReady(other);
            cluster.start(third);
            await("a majority is ready", () -> get(other, "/health/ready").statusCode() == 200);
            cluster.start(leader);
            cluster.awaitReady(WAIT);
            publish(moving, 9_311, 9_400);
            assertThat(lastBefore(third)).isEqualTo(9_100);
            readsOn(third, 9_100, 9_400);
        }
    }

    private static void allReportHowEachNodeStands(int leader, int first, int second) throws InterruptedException {
        for (int node = 1; node <= 3; node++) {
            int its = node;
            await(
                    "node " + node + " knows all",
                    () -> get(its, "/health/ready").statusCode() == 200
                            && !get(its, "/connections").body().contains("\"silentMillis\":-1"));
        }
        assertThat(get(leader, "/health/ready").body())
                .startsWith("{\"status\":\"ready\",\"cluster\":{\"name\":\"local-")
                .contains("\"role\":\"leads\"", "\"leader\":" + leader, "\"members\":[{\"node\":1,");
        assertThat(get(first, "/health/ready").body()).contains("\"role\":\"follows\"", "\"leader\":" + leader);
        assertThat(get(first, "/metrics").body())
                .contains(
                        "relay_cluster_role{role=\"follows\"} 1",
                        "relay_cluster_leader " + leader,
                        "relay_cluster_member_lag_bytes{node=\"" + second + "\"} ",
                        "relay_ready 1");
    }

    private static void aMinorityIsNotReady(int node) throws InterruptedException {
        await("a minority is not ready", () -> get(node, "/health/ready").statusCode() == 503);
        assertThat(get(node, "/health/ready").body()).startsWith("{\"status\":\"has no leader\"");
        assertThat(get(node, "/health/live").statusCode()).isEqualTo(200);
        await(
                "nodes that are gone are silent",
                () -> get(node, "/connections").body().matches("(?s).*\"silentMillis\":\\d{4,}.*"));
    }

    private static HttpResponse<String> get(int node, String path) {
        return NodesComeBackTest.get(cluster, node, path);
    }

    private static void readsOn(int node, long from, long to) throws IOException {
        try (Reader back = new Reader(SubscriberOptions.builder(cluster.subscribe(node)))) {
            back.last = from;
            back.readUpTo(to);
            assertThat(back.doubled + back.gaps).isZero();
        }
    }

    /**
     * Returns the last message before the stream of a node that was started anew: without a snapshot it has all of the
     * log.
     */
    private static long lastBefore(int node) {
        Matcher snapshot =
                Pattern.compile("goes on from a snapshot: message (\\d+)").matcher(cluster.said(node));
        return snapshot.find() ? Long.parseLong(snapshot.group(1)) - 1 : 0;
    }

    private static long digest(int node, long number) throws IOException {
        try (Reader reader = new Reader(SubscriberOptions.builder(cluster.subscribe(node)))) {
            reader.readUpTo(number);
            assertThat(reader.doubled + reader.gaps).isZero();
            return reader.digest.getValue();
        }
    }

    // ---- strangers and garbage -------------------------------------------------------------------------------------

    @Test
    void batchesOfAnotherVersionAndOfAnotherClusterArePassedOver() throws IOException, InterruptedException {
        int leader = cluster.leader();
        try (Stranger stranger = new Stranger(cluster, leader, temporary.resolve("driver"), WAIT)) {
            stranger.offer(Stranger.batch(99, 2, 5, LEAST_HEADER));
            awaitSaid(leader, "passes over a batch of version 99: this node understands version");
            int version = versionOf(leader);
            stranger.offer(Stranger.batch(version, 2, 5, MOST_HEADER));
            awaitSaid(leader, "passes over a batch of node 2 of another cluster than " + cluster.name());
            stranger.offer(Stranger.batch(version, 2, 5, LEAST_HEADER));
            awaitSaid(leader, "passes over a batch of 16 bytes, and its header alone has ");
            stranger.offer(new byte[3]);
            awaitSaid(leader, "passes over a batch of version 0:");
        }
        takesMessages(leader, "stranger");
    }

    /** Returns the version that a node has named as the only one that it understands. */
    private static int versionOf(int node) {
        Matcher version =
                Pattern.compile("this node understands version (\\d+)").matcher(cluster.said(node));
        assertThat(version.find()).isTrue();
        return Integer.parseInt(version.group(1));
    }

    /** Random bytes, and random bytes behind the head of a frame of Aeron's, at each port of each node. */
    @Test
    void garbageAtAeronsPortsHarmsNobody() throws IOException, InterruptedException {
        long seed = ThreadLocalRandom.current().nextLong();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < 10_000; i++) {
                byte[] garbage = new byte[random.nextInt(1, 1_400)];
                random.nextBytes(garbage);
                if (random.nextBoolean() && garbage.length >= 8) {
                    putFrameHead(garbage, random.nextInt(16));
                }
                int port = cluster.cluster(random.nextInt(1, 4)).port() + random.nextInt(PORTS);
                socket.send(new DatagramPacket(garbage, garbage.length, new InetSocketAddress("127.0.0.1", port)));
            }
        }
        for (int node = 1; node <= 3; node++) {
            takesMessages(node, "garbage-" + node);
            assertThat(cluster.runs(node))
                    .as("node " + node + ": " + cluster.said(node))
                    .isTrue();
        }
    }

    /** Writes length, version, flags and type as in a real frame. */
    private static void putFrameHead(byte[] garbage, int type) {
        ByteBuffer frame = ByteBuffer.wrap(garbage).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(garbage.length).put((byte) 0).put((byte) 0).putShort((short) type);
    }

    /** A publisher at this node is acknowledged. */
    private static void takesMessages(int node, String name) throws IOException, InterruptedException {
        try (RelayPublisher publisher = RelayPublisher.open(
                PublisherOptions.builder(cluster.publishAt(node).get(0))
                        .acks(name)
                        .reconnect(RECONNECT)
                        .build())) {
            publish(publisher, 1, 100);
            publisher.flush(WAIT);
        }
    }

    // ---- nodes that cannot be ---------------------------------------------------------------------------------------

    @Test
    void whoCannotBeANodeSaysWhyAndEnds() throws IOException, InterruptedException {
        refused(5, cluster.directory().resolve("none.conf"), 2, "none.conf: there is no such file");
        // The same directory, then the same address with another one.
        refused(6, cluster.file(), 1, "is in use by process");
        String text = Files.readString(cluster.file());
        Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        String moved = text.replace(cluster.directory().toString(), elsewhere.toString());
        refusedHere(file(moved), "1", "cannot be had, perhaps because another node 1 is running");
        refusedHere(cluster.file(), "4", "node 4 is not among the members [1, 2, 3]");
        Files.writeString(elsewhere.resolve("node-1").resolve("node"), "node 1 of prices\n");
        refusedHere(file(moved), "1", "belongs to node 1 of prices");
        try (LocalCluster small = new LocalCluster(1, "shared = /proc", List.of())) {
            refusedHere(small.file(), "1", ThisMachine.proc() + " has 0 bytes free, and a node may need");
        }
        for (int node = 1; node <= 3; node++) {
            assertThat(cluster.runs(node)).isTrue();
        }
    }

    @Test
    void aFullSharedMemoryIsNamed() throws IOException, InterruptedException {
        Path small = Files.createDirectory(temporary.resolve("small"));
        boolean mounted = runs("mount", "-t", "tmpfs", "-o", "size=64m", "none", small.toString());
        if (!mounted) {
            System.out.println("no tmpfs can be mounted here: skipped");
        }
        ThisMachine.need(mounted, "no tmpfs can be mounted here");
        try (LocalCluster one = new LocalCluster(1, "shared = \"" + small + "\"", List.of())) {
            refusedHere(one.file(), "1", small + " has ", " bytes free, and a node may need ");
        } finally {
            assertThat(runs("umount", small.toString())).isTrue();
        }
    }

    private static boolean runs(String... command) throws IOException, InterruptedException {
        return TestProcess.run(command).exitCode() == 0;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(temporary.resolve("other.conf"), text);
    }

    /** A node of this process: the message of the exception is what a process would say. */
    private static void refusedHere(Path file, String node, String... why) {
        assertThatThrownBy(() -> RelayServer.start(RelayServerMain.config(arguments(file, node)))
                        .close())
                .satisfies(e -> assertThat(e.getMessage()).contains(why));
    }

    private static String[] arguments(Path file, String node) {
        return new String[] {
            "--cluster", file.toString(), "--node", node, "--publish-port", "0", "--subscribe-port", "0"
        };
    }

    private static void refused(int run, Path file, int code, String why) throws IOException, InterruptedException {
        Process process = cluster.start(run, List.of(arguments(file, "1")));
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(cluster.said(run)).contains(why);
        assertThat(process.exitValue()).isEqualTo(code);
    }

    // ---- waits
    // -------------------------------------------------------------------------------------------------------

    private static void awaitSaid(int node, String text) throws InterruptedException {
        await(text, () -> cluster.said(node).contains(text));
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + WAIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}

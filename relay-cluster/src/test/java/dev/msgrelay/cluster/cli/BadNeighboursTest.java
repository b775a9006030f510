package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import io.aeron.Aeron;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who should not be there, at the ports that nodes have for each other: he is named, and nobody is harmed. */
class BadNeighboursTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));
    private static final int PORTS = 5;

    /** Of a batch at least: version, node, cluster, and more. */
    private static final int LEAST_HEADER = 16;

    /** More than it is. */
    private static final int MOST_HEADER = 256;

    /** A name is its publisher's for a while after it has gone. */
    private static final AtomicInteger NAMES = new AtomicInteger();

    private static LocalCluster shared;

    @TempDir
    private Path temporary;

    /** Of three nodes: strangers, other clusters and garbage come to it, and it is none the worse for any. */
    @BeforeAll
    static void startShared() throws IOException, InterruptedException {
        shared = started(3);
    }

    @AfterAll
    static void endShared() throws IOException {
        shared.close();
    }

    // ---- strangers ---------------------------------------------------------------------------------------------

    @Test
    void batchesOfAnotherVersionAndOfAnotherClusterArePassedOver() throws IOException, InterruptedException {
        int leader = shared.leader();
        try (Stranger stranger = new Stranger(leader)) {
            stranger.offer(batch(99, 2, 5, LEAST_HEADER));
            await(shared, leader, () -> shared.said(leader)
                    .contains("passes over a batch of version 99: this node understands version"));
            stranger.offer(batch(versionOf(leader), 2, 5, MOST_HEADER));
            await(shared, leader, () -> shared.said(leader)
                    .contains("passes over a batch of node 2 of another cluster than " + shared.name()));
            stranger.offer(batch(versionOf(leader), 2, 5, LEAST_HEADER));
            await(shared, leader, () -> shared.said(leader)
                    .contains("passes over a batch of 16 bytes, and its header alone has "));
            stranger.offer(new byte[3]);
            await(shared, leader, () -> shared.said(leader).contains("passes over a batch of version 0:"));
        }
        takesMessages(shared, leader);
    }

    /** As a node says it, which is the only one that this understands. */
    private static int versionOf(int node) {
        String said = shared.said(node);
        String before = "this node understands version ";
        return Integer.parseInt(said.substring(said.indexOf(before) + before.length())
                .lines()
                .findFirst()
                .orElseThrow()
                .replaceAll("\\D.*", ""));
    }

    private static byte[] batch(int version, int node, long clusterId, int length) {
        ByteBuffer header = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(version).putInt(node).putLong(clusterId);
        return header.array();
    }

    /** As anybody can be one who gets to the ports. */
    private final class Stranger implements AutoCloseable {
        private final MediaDriver media;
        private final Aeron aeron;
        private final AeronCluster cluster;

        Stranger(int node) throws IOException {
            media = MediaDriver.launch(new MediaDriver.Context()
                    .aeronDirectoryName(
                            Files.createTempDirectory(temporary, "driver").toString())
                    .dirDeleteOnStart(true)
                    .dirDeleteOnShutdown(true)
                    .publicationTermBufferLength(1 << 20)
                    .threadingMode(ThreadingMode.SHARED));
            aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(media.aeronDirectoryName()));
            cluster = AeronCluster.connect(new AeronCluster.Context()
                    .aeron(aeron)
                    .ownsAeronClient(false)
                    .messageTimeoutNs(WAIT.toNanos())
                    .ingressChannel("aeron:udp?term-length=64k")
                    .ingressEndpoints(node + "=" + shared.cluster(node))
                    .egressChannel("aeron:udp?endpoint=127.0.0.1:0"));
        }

        void offer(byte[] batch) {
            long end = System.nanoTime() + WAIT.toNanos();
            while (cluster.offer(new UnsafeBuffer(batch), 0, batch.length) < 0) {
                assertThat(System.nanoTime() - end).as("offered in vain").isNegative();
                cluster.pollEgress();
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() {
            cluster.close();
            aeron.close();
            media.close();
        }
    }

    /**
     * Its addresses are those of another cluster, two of whose nodes run: it must not acknowledge what only it has. Thorough, as it
     * needs three nodes of its own.
     */
    @Tag("thorough")
    @Test
    void aNodeOfAnotherClusterAtTheSameAddressesIsNoMember() throws IOException, InterruptedException {
        try (LocalCluster cluster = new LocalCluster(3)) {
            cluster.start(1);
            cluster.start(2);
            cluster.awaitReady(WAIT);
            Path file = changed(cluster, cluster.name(), cluster.name() + "-other");
            Process other = stranger(cluster, 9, file, 3);
            await(cluster, 9, () -> cluster.said(9).contains(cluster.name() + "-other waits for a majority of "));
            assertThat(cluster.said(9)).doesNotContain("\"event\":\"ready\"", "follows node");
            takesMessages(cluster, 1);
            assertThat(cluster.runs(1) && cluster.runs(2)).isTrue();
            assertThat(cluster.said(1) + cluster.said(2)).doesNotContain("of another cluster");
            other.destroyForcibly().waitFor();
        }
    }

    /** On another machine, by its own file; everybody else knows node 3 elsewhere. */
    @Tag("thorough")
    @Test
    void aSecondNodeOfTheSameNumberIsNoneAndIsTold() throws IOException, InterruptedException {
        try (LocalCluster cluster = started(3);
                LocalCluster elsewhere = new LocalCluster(1)) {
            Path file = changed(
                    cluster, cluster.cluster(3).toString(), elsewhere.cluster(1).toString());
            Process second = stranger(cluster, 9, file, 3);
            await(cluster, 9, () -> cluster.said(9)
                    .contains("which have to know this one as node 3 at " + elsewhere.cluster(1)));
            // The one that they know is not in its place.
            takesMessages(cluster, 3);
            takesMessages(cluster, 1);
            assertThat(cluster.said(9)).doesNotContain("\"event\":\"ready\"");
            second.destroyForcibly().waitFor();
        }
    }

    /** The same cluster, but the directories are its own: as on another machine. */
    private static Path changed(LocalCluster cluster, String what, String into) throws IOException {
        Path other = Files.createDirectory(cluster.directory().resolve("other-" + what.replaceAll("\\W", "-")));
        String text = Files.readString(cluster.file())
                .replace(
                        "directory = \"" + cluster.directory() + "\"",
                        "directory = \"" + other + "\", shared = \"" + other + "\"")
                .replace(what, into);
        return Files.writeString(other.resolve("cluster.conf"), text);
    }

    private static Process stranger(LocalCluster cluster, int run, Path file, int node) throws IOException {
        return cluster.start(
                run,
                List.of(
                        "--json",
                        "--cluster",
                        file.toString(),
                        "--node",
                        "" + node,
                        "--publish-port",
                        "0",
                        "--subscribe-port",
                        "0",
                        "--admin",
                        "none"));
    }

    // ---- garbage -----------------------------------------------------------------------------------------------

    /** Random bytes, and random bytes behind the head of a frame of Aeron's, at each port of each node. */
    @Test
    void garbageAtAeronsPortsHarmsNobody() throws IOException, InterruptedException {
        long seed = ThreadLocalRandom.current().nextLong();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < 20_000; i++) {
                byte[] garbage = new byte[random.nextInt(1, 1_400)];
                random.nextBytes(garbage);
                if (random.nextBoolean() && garbage.length >= 8) {
                    headed(garbage, random.nextInt(16));
                }
                int node = random.nextInt(1, 4);
                int port = shared.cluster(node).port() + random.nextInt(PORTS);
                socket.send(new DatagramPacket(garbage, garbage.length, new InetSocketAddress("127.0.0.1", port)));
            }
            for (int node = 1; node <= 3; node++) {
                takesMessages(shared, node);
                assertThat(shared.runs(node))
                        .as("node " + node + ": " + shared.said(node))
                        .isTrue();
            }
        }
    }

    /** Length, version, flags and type as in a real one. */
    private static void headed(byte[] garbage, int type) {
        ByteBuffer frame = ByteBuffer.wrap(garbage).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(garbage.length).put((byte) 0).put((byte) 0).putShort((short) type);
    }

    // ---- shared memory -----------------------------------------------------------------------------------------

    @Test
    void aFullSharedMemoryIsNamed() throws IOException, InterruptedException {
        Path small = Files.createDirectory(temporary.resolve("small"));
        boolean mounted = runs("mount", "-t", "tmpfs", "-o", "size=64m", "none", small.toString());
        if (!mounted) {
            System.out.println("no tmpfs can be mounted here: skipped");
        }
        assumeTrue(mounted, "no tmpfs can be mounted here");
        try (LocalCluster cluster = new LocalCluster(1, "shared = \"" + small + "\"", List.of("--admin", "none"))) {
            cluster.start(1);
            await(cluster, 1, () -> !cluster.runs(1));
            assertThat(cluster.said(1)).contains(small + " has ", " bytes free, and a node may need ");
        } finally {
            assertThat(runs("umount", small.toString())).isTrue();
        }
    }

    private static boolean runs(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return process.waitFor(120, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    // ---- what is awaited ---------------------------------------------------------------------------------------

    private static LocalCluster started(int nodes) throws IOException, InterruptedException {
        LocalCluster cluster = new LocalCluster(nodes);
        try {
            for (int node = 1; node <= nodes; node++) {
                cluster.start(node);
            }
            cluster.awaitReady(WAIT);
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static void await(LocalCluster cluster, int run, BooleanSupplier condition) throws InterruptedException {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun - WAIT.toNanos())
                    .as(cluster.said(run))
                    .isNegative();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** A publisher at this node is acknowledged. */
    private static void takesMessages(LocalCluster cluster, int node) throws IOException, InterruptedException {
        ByteBuffer body = ByteBuffer.allocate(64);
        try (RelayPublisher publisher = RelayPublisher.open(
                PublisherOptions.builder(cluster.publishAt(node).get(0))
                        .acks("healthy-" + NAMES.incrementAndGet())
                        .reconnect(RECONNECT)
                        .build())) {
            for (int i = 0; i < 1_000; i++) {
                assertThat(publisher.publish(7, body, WAIT)).hasToString("ACCEPTED");
            }
            assertThat(publisher.flush(WAIT)).isTrue();
        }
    }
}

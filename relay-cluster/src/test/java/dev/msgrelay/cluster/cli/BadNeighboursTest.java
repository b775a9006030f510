package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that should not be there, at the addresses of others: they take no part, and nobody is harmed. */
class BadNeighboursTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));
    /** Number for the name of each publisher: a name is its publisher's for a while after it has gone. */
    private static final AtomicInteger NAMES = new AtomicInteger();

    /**
     * A node with the addresses of another cluster, two of whose nodes run: it must not acknowledge messages that only
     * it has. Thorough, as it needs three nodes of its own.
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

    /** A second node 3 on another machine, by its own file; the others know node 3 elsewhere. */
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
            for (int i = 0; i < 100; i++) {
                assertThat(publisher.publish(7, body, WAIT)).hasToString("ACCEPTED");
            }
            publisher.flush(WAIT);
        }
    }
}

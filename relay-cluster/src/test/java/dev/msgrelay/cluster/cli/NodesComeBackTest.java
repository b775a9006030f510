package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Nodes that were away for long, or have lost their disk. Three processes on loopback. */
class NodesComeBackTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final int NODES = 3;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final int BODY = 32 << 10;
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));

    /** Messages of a node from its earliest on: the last one, those out of order, and a digest of their bytes. */
    private record Read(long last, long wrong, long digest) {}

    private static void startAll(LocalCluster cluster) throws IOException, InterruptedException {
        for (int node = 1; node <= NODES; node++) {
            cluster.start(node);
        }
        cluster.awaitReady(WAIT);
    }

    private static RelayPublisher publisher(LocalCluster cluster, int at) throws IOException {
        return RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(at))
                .acks("test")
                .reconnect(RECONNECT)
                .build());
    }

    private static void publish(RelayPublisher publisher, long from, long to) throws IOException, InterruptedException {
        ByteBuffer body = ByteBuffer.allocate(BODY);
        for (long number = from; number <= to; number++) {
            body.putLong(0, number);
            assertThat(publisher.publish(7, body, WAIT)).hasToString("ACCEPTED");
        }
        publisher.flush(WAIT);
    }

    /** Reads one node's stream from its earliest message on. */
    private static Read read(LocalCluster cluster, int node, long to) throws IOException {
        CRC32C digest = new CRC32C();
        long[] seen = {0, 0};
        long end = System.nanoTime() + WAIT.toNanos();
        try (RelaySubscriber subscriber = RelaySubscriber.open(SubscriberOptions.builder(cluster.subscribe(node))
                .fromEarliest()
                .reconnect(RECONNECT)
                .build())) {
            while (seen[0] < to && System.nanoTime() - end < 0) {
                subscriber.poll((sequence, type, body) -> {
                    long number = body.getLong(body.position());
                    if (number != sequence || seen[0] > 0 && number != seen[0] + 1) {
                        seen[1]++;
                    }
                    seen[0] = number;
                    digest.update(body);
                });
            }
        }
        return new Read(seen[0], seen[1], digest.getValue());
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + WAIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    static HttpResponse<String> get(LocalCluster cluster, int node, String path) {
        Matcher place = Pattern.compile("page: +(http\\S+)").matcher(cluster.said(node));
        String last = null;
        while (place.find()) {
            last = place.group(1);
        }
        assertThat(last).as(cluster.said(node)).isNotNull();
        try {
            return HTTP.send(
                    HttpRequest.newBuilder(URI.create(last).resolve(path))
                            .timeout(WAIT)
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(last + path, e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Tag("thorough")
    @Test
    void whatIsBehindSnapshotsIsDroppedAndALostDiskComesBack() throws IOException, InterruptedException {
        try (LocalCluster cluster = new LocalCluster(NODES, "snapshot-log = 20m", List.of("--admin", "none"))) {
            startAll(cluster);
            int lost = cluster.leader() % NODES + 1;
            try (RelayPublisher publisher = publisher(cluster, cluster.leader())) {
                long last = 4_000;
                publish(publisher, 1, last);
                for (int node = 1; node <= NODES; node++) {
                    int its = node;
                    await("node " + node + " drops", () -> cluster.said(its).contains("files of the log"));
                    assertThat(cluster.directory().resolve("node-" + node + "/archive/0-0.rec"))
                            .as("the oldest file of the log")
                            .doesNotExist();
                }

                cluster.kill(lost);
                IoUtil.delete(cluster.directory().resolve("node-" + lost).toFile(), false);
                publish(publisher, last + 1, last + 1_000);
                last += 1_000;

                // The steps of docs/cluster.md.
                StringWriter said = new StringWriter();
                CommandLine command = RelayClusterMain.commandLine()
                        .setOut(new PrintWriter(said, true))
                        .setErr(new PrintWriter(said, true));
                assertThat(command.execute(
                                "restore", "--cluster", cluster.file().toString(), "--node", Integer.toString(lost)))
                        .as(said::toString)
                        .isZero();
                assertThat(said.toString()).contains("a snapshot, of log position");
                assertThat(command.execute(
                                "restore", "--cluster", cluster.file().toString(), "--node", Integer.toString(lost)))
                        .isEqualTo(1);
                assertThat(said.toString()).contains("has a log: --replace deletes it");

                cluster.start(lost);
                cluster.awaitReady(WAIT);
                assertThat(cluster.said(lost)).contains("goes on from a snapshot");
                publish(publisher, last + 1, last + 10);
                last += 10;
                Read back = read(cluster, lost, last);
                assertThat(back.last()).isEqualTo(last);
                assertThat(back.wrong()).isZero();

                // The restored node counts: with one of the others gone there is a majority.
                int other = Stream.of(1, 2, 3)
                        .filter(node -> node != lost)
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
                cluster.kill(other);
                publish(publisher, last + 1, last + 10);

                // The others answer, and have nothing to give.
                for (int node = 1; node <= NODES; node++) {
                    deleteRecordings(cluster.directory().resolve("node-" + node + "/archive"));
                }
                assertThat(command.execute(
                                "restore",
                                "--replace",
                                "--cluster",
                                cluster.file().toString(),
                                "--node",
                                Integer.toString(other)))
                        .isEqualTo(1);
                assertThat(said.toString()).contains("so far", "has answered, but nothing has come for 30 s");
                assertThat(cluster.directory().resolve("node-" + other + "/archive"))
                        .doesNotExist();
            }
        }
    }

    private static void deleteRecordings(Path archive) throws IOException {
        try (DirectoryStream<Path> recordings = Files.newDirectoryStream(archive, "*.rec")) {
            for (Path recording : recordings) {
                Files.delete(recording);
            }
        }
    }

    /**
     * Thorough, as a file of the cluster's log is dropped only when a hundred megabytes have gone through three nodes.
     */
    @Tag("thorough")
    @Test
    void theJournalGivesWhatMemoryAndTheClustersLogHaveDropped() throws IOException, InterruptedException {
        Path journals = Files.createTempDirectory("relay-journals");
        try (LocalCluster cluster = new LocalCluster(
                NODES,
                "snapshot-log = 20m",
                List.of(
                        "--admin",
                        "none",
                        "--journal",
                        journals + "/%d",
                        "--journal-keep",
                        "1g",
                        "--log-size",
                        "8m"))) {
            startAll(cluster);
            int leader = cluster.leader();
            int other = leader % NODES + 1;
            long last = 4_000;
            try (RelayPublisher publisher = publisher(cluster, other)) {
                publish(publisher, 1, last);
                for (int node = 1; node <= NODES; node++) {
                    int its = node;
                    await("node " + node + " drops", () -> cluster.said(its).contains("files of the log"));
                }
                Read all = read(cluster, leader, last);
                assertThat(all).isEqualTo(new Read(last, 0, all.digest()));
                assertThat(read(cluster, other, last)).isEqualTo(all);

                // A node that was killed goes on behind what its journal has.
                cluster.kill(leader);
                publish(publisher, last + 1, last + 500);
                last += 500;
                cluster.start(leader);
                cluster.awaitReady(WAIT);
                publish(publisher, last + 1, last + 500);
                last += 500;
                all = read(cluster, other, last);
                assertThat(all).isEqualTo(new Read(last, 0, all.digest()));
                assertThat(read(cluster, leader, last)).isEqualTo(all);
            }
        } finally {
            IoUtil.delete(journals.toFile(), true);
        }
    }

    /**
     * The pause is longer than elections, than Aeron's patience with its own parts, and than a connection of the
     * cluster lives.
     */
    @Tag("thorough")
    @Test
    void aNodeThatStoodStillGoesOn() throws IOException, InterruptedException {
        try (LocalCluster cluster = new LocalCluster(NODES)) {
            startAll(cluster);
            int leader = cluster.leader();
            int other = leader % NODES + 1;
            try (RelayPublisher publisher = publisher(cluster, other)) {
                publish(publisher, 1, 100);
                cluster.pause(leader, true);
                publish(publisher, 101, 200);
                TimeUnit.SECONDS.sleep(13);
                cluster.pause(leader, false);
                publish(publisher, 201, 300);
                Read all = read(cluster, other, 300);
                assertThat(all).isEqualTo(new Read(300, 0, all.digest()));
                assertThat(read(cluster, leader, 300)).isEqualTo(all);
            }
            try (RelayPublisher publisher = RelayPublisher.open(
                    PublisherOptions.builder(List.of(cluster.publishAt(leader).get(0)))
                            .acks("late")
                            .reconnect(RECONNECT)
                            .build())) {
                publish(publisher, 301, 310);
            }
            assertThat(cluster.runs(leader)).as(cluster.said(leader)).isTrue();
        }
    }
}

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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Three nodes as processes, on loopback, and a leader that is killed. */
class ThreeNodesTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));

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

    @Test
    void aLeaderThatIsKilledLosesAndDoublesNothing() throws IOException, InterruptedException {
        try (LocalCluster cluster = new LocalCluster(3)) {
            for (int node = 1; node <= 3; node++) {
                cluster.start(node);
            }
            cluster.awaitReady(WAIT);
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
                assertThat(publisher.flush(WAIT)).isTrue();
                resuming.readUpTo(1_000);

                // What is not acknowledged yet is under way to a leader that dies.
                publish(publisher, 3_001, 6_000);
                cluster.kill(leader);
                assertThatIOException()
                        .isThrownBy(() -> ClusterSnapshot.take(cluster.file(), leader))
                        .withMessageContaining("node " + leader + " does not run here");
                publish(publisher, 6_001, 9_000);
                assertThat(publisher.flush(WAIT)).isTrue();
                assertThat(acknowledged).hasValue(9_000);
                // A publisher and a subscriber of the dead node go on at another one.
                publish(moving, 9_001, 9_100);
                assertThat(moving.flush(WAIT)).isTrue();
                resuming.readUpTo(9_100);
                assertThat(resuming.doubled + resuming.gaps).isZero();

                // The rest of the life is read from the snapshot on, and what came behind it from the log.
                ClusterSnapshot.take(cluster.file(), cluster.leader());
                publish(moving, 9_101, 9_200);
                assertThat(moving.flush(WAIT)).isTrue();
                long digest = digest(cluster, other, 9_200);
                assertThat(digest(cluster, third, 9_200)).isEqualTo(digest);
                cluster.start(leader);
                cluster.awaitReady(WAIT);
                publish(moving, 9_201, 9_300);
                try (Reader back = new Reader(SubscriberOptions.builder(cluster.subscribe(leader)))) {
                    back.last = lastBefore(cluster, leader);
                    back.readUpTo(9_300);
                    assertThat(back.doubled + back.gaps).isZero();
                }

                // The log behind its snapshot says nothing of who leads: its publishers are served all the same.
                cluster.kill(leader);
                cluster.start(leader);
                cluster.awaitReady(WAIT);
                assertThat(lastBefore(cluster, leader)).isEqualTo(9_100);
                try (RelayPublisher late = RelayPublisher.open(PublisherOptions.builder(
                                List.of(cluster.publishAt(leader).get(0)))
                        .acks("late")
                        .reconnect(RECONNECT)
                        .build())) {
                    publish(late, 9_301, 9_310);
                    assertThat(late.flush(WAIT)).isTrue();
                }

                // One that has the snapshot goes on from there.
                cluster.kill(third);
                cluster.start(third);
                cluster.awaitReady(WAIT);
                publish(moving, 9_311, 9_400);
                assertThat(lastBefore(cluster, third)).isEqualTo(9_100);
                try (Reader back = new Reader(SubscriberOptions.builder(cluster.subscribe(third)))) {
                    back.last = 9_100;
                    back.readUpTo(9_400);
                    assertThat(back.doubled + back.gaps).isZero();
                }
            }
        }
    }

    /** Of a node that was started anew: it has the stream from the log's beginning, unless it has a snapshot. */
    private static long lastBefore(LocalCluster cluster, int node) {
        Matcher snapshot =
                Pattern.compile("goes on from a snapshot: message (\\d+)").matcher(cluster.said(node));
        return snapshot.find() ? Long.parseLong(snapshot.group(1)) - 1 : 0;
    }

    private static long digest(LocalCluster cluster, int node, long number) throws IOException {
        try (Reader reader = new Reader(SubscriberOptions.builder(cluster.subscribe(node)))) {
            reader.readUpTo(number);
            assertThat(reader.doubled + reader.gaps).isZero();
            return reader.digest.getValue();
        }
    }

    @Test
    void whoCannotBeANodeSaysWhyAndEnds() throws IOException, InterruptedException {
        try (LocalCluster cluster = new LocalCluster(1)) {
            refused(cluster, 5, cluster.directory().resolve("none.conf"), "1", 2, "none.conf: there is no such file");
            cluster.start(1);
            cluster.awaitReady(WAIT);
            // The same directory, then the same address with another one.
            refused(cluster, 2, cluster.file(), "1", 1, "is in use by process");
            String text = Files.readString(cluster.file());
            Path elsewhere = Files.createDirectory(cluster.directory().resolve("elsewhere"));
            String moved = text.replace(cluster.directory().toString(), elsewhere.toString());
            refusedHere(file(cluster, moved), "1", "cannot be had, perhaps because another node 1 is running");
            refusedHere(cluster.file(), "2", "node 2 is not among the members [1]");
            try (LocalCluster small = new LocalCluster(1)) {
                String shared = Files.readString(small.file()).replace("members", "shared = /proc\n  members");
                refusedHere(file(cluster, shared), "1", "/proc has 0 bytes free, and a node may need");
            }
            Files.writeString(elsewhere.resolve("node-1").resolve("node"), "node 1 of prices\n");
            refusedHere(file(cluster, moved), "1", "belongs to node 1 of prices");
            assertThat(cluster.runs(1)).isTrue();
        }
    }

    private static Path file(LocalCluster cluster, String text) throws IOException {
        Path file = cluster.directory().resolve("other.conf");
        return Files.writeString(file, text);
    }

    /** In this process: what it says is the message of the exception. */
    private static void refusedHere(Path file, String node, String why) {
        assertThatThrownBy(() -> RelayServer.start(RelayServerMain.config(arguments(file, node)))
                        .close())
                .hasMessageContaining(why);
    }

    private static String[] arguments(Path file, String node) {
        return new String[] {
            "--cluster", file.toString(), "--node", node, "--publish-port", "0", "--subscribe-port", "0"
        };
    }

    private static void refused(LocalCluster cluster, int run, Path file, String node, int code, String why)
            throws IOException, InterruptedException {
        Process process = cluster.start(run, List.of(arguments(file, node)));
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(cluster.said(run)).contains(why);
        assertThat(process.exitValue()).isEqualTo(code);
    }
}

package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A backup of all nodes is put back, with messages behind it that were acknowledged and read. Three processes on
 * loopback.
 */
class RestoredClusterTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final int NODES = 3;
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));

    private final Map<Long, Long> had = new TreeMap<>();
    private final List<SessionEvent> read = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<SessionEvent> published = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clientsAreToldWhatIsGoneAndGoOnWhereTheBackupEnds(boolean journal) throws Exception {
        Path journals = Files.createTempDirectory("relay-journals");
        List<String> options = new ArrayList<>(List.of("--admin", "none"));
        if (journal) {
            options.addAll(List.of("--journal", journals.resolve("node-%d").toString(), "--journal-segment", "4m"));
        }
        try (LocalCluster cluster = new LocalCluster(NODES, "", options)) {
            startAll(cluster);
            try (RelayPublisher publisher = publisher(cluster);
                    RelaySubscriber subscriber = subscriber(cluster)) {
                publish(publisher, 1, 50);
                readUntil(subscriber, 50);
                stopAll(cluster);
                Path backup = cluster.directory().resolve("backup");
                copyNodes(cluster.directory(), backup.resolve("cluster"));
                copyNodes(journals, backup.resolve("journals"));
                startAll(cluster);
                publish(publisher, 51, 80);
                readUntil(subscriber, 80);
                assertThat(had.values()).as("nothing is lost at a restart").containsExactlyElementsOf(numbers(1, 80));
                assertThat(read).noneMatch(RestoredClusterTest::tellsALoss);
                assertThat(published).noneMatch(SessionEvent.AcknowledgedGone.class::isInstance);

                stopAll(cluster);
                for (int node = 1; node <= NODES; node++) {
                    IoUtil.delete(cluster.directory().resolve("node-" + node).toFile(), false);
                    IoUtil.delete(journals.resolve("node-" + node).toFile(), true);
                }
                copyNodes(backup.resolve("cluster"), cluster.directory());
                copyNodes(backup.resolve("journals"), journals);
                startAll(cluster);
                publish(publisher, 81, 100);
                readUntil(subscriber, 70);
            }
            assertThat(had.values())
                    .as("what the backup has, and what came since")
                    .containsExactlyElementsOf(Stream.concat(numbers(1, 50).stream(), numbers(81, 100).stream())
                            .toList());
            assertThat(read.stream()
                            .filter(SessionEvent.StreamRolledBack.class::isInstance)
                            .map(SessionEvent.StreamRolledBack.class::cast)
                            .map(back -> List.of(back.fork(), back.had())))
                    .containsExactly(List.of(51L, 80L));
            assertThat(read).noneMatch(SessionEvent.StreamChanged.class::isInstance);
            assertThat(gaps).isEmpty();
            assertThat(published.stream()
                            .filter(SessionEvent.AcknowledgedGone.class::isInstance)
                            .map(SessionEvent.AcknowledgedGone.class::cast)
                            .map(gone -> List.of(gone.from(), gone.to())))
                    .containsExactly(List.of(51L, 80L));
        } finally {
            IoUtil.delete(journals.toFile(), true);
        }
    }

    private static boolean tellsALoss(SessionEvent event) {
        return event instanceof SessionEvent.StreamChanged || event instanceof SessionEvent.StreamRolledBack;
    }

    private static List<Long> numbers(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    private static void startAll(LocalCluster cluster) throws IOException, InterruptedException {
        for (int node = 1; node <= NODES; node++) {
            cluster.start(node);
        }
        cluster.awaitReady(WAIT);
    }

    private static void stopAll(LocalCluster cluster) throws InterruptedException {
        for (int node = 1; node <= NODES; node++) {
            assertThat(cluster.stop(node)).isZero();
        }
    }

    private static void copyNodes(Path from, Path to) throws IOException {
        for (int node = 1; node <= NODES; node++) {
            if (Files.exists(from.resolve("node-" + node))) {
                copyFolder(from.resolve("node-" + node), to.resolve("node-" + node));
            }
        }
    }

    private static void copyFolder(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path copy = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(path, copy);
                }
            }
        }
    }

    private RelayPublisher publisher(LocalCluster cluster) throws IOException {
        return RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(1))
                .acks("orders")
                .reconnect(RECONNECT)
                .onEvent(published::add)
                .build());
    }

    private static void publish(RelayPublisher publisher, long from, long to) throws IOException, InterruptedException {
        ByteBuffer body = ByteBuffer.allocate(Long.BYTES);
        for (long number = from; number <= to; number++) {
            body.putLong(0, number);
            assertThat(publisher.publish(7, body, WAIT)).hasToString("ACCEPTED");
        }
        publisher.flush(WAIT);
    }

    private RelaySubscriber subscriber(LocalCluster cluster) throws IOException {
        return RelaySubscriber.open(SubscriberOptions.builder(cluster.subscribeAt(2))
                .fromEarliest()
                .reconnect(RECONNECT)
                .onGap(gaps::add)
                .onEvent(event -> {
                    read.add(event);
                    if (event instanceof SessionEvent.StreamRolledBack back) {
                        had.keySet().removeIf(sequence -> sequence >= back.fork());
                    }
                })
                .build());
    }

    /** Reads until it has so many messages, and no more; each comes once. */
    private void readUntil(RelaySubscriber subscriber, int count) throws IOException {
        long end = System.nanoTime() + WAIT.toNanos();
        while (subscriber.next() != count + 1 || had.size() != count) {
            assertThat(System.nanoTime() - end).as("in time: %s", read).isNegative();
            subscriber.poll((sequence, type, body) -> {
                Long before = had.put(sequence, body.getLong(body.position()));
                assertThat(before).as("message %d comes once", sequence).isNull();
            });
        }
    }
}

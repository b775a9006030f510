package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.StateView;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.cluster.ClusterSnapshot;
import dev.msgrelay.protocol.GapReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The newest message of each type at the nodes of a cluster whose file has {@code state}. Three processes. */
class StateAtNodesTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(20), Duration.ofMillis(200));
    private static final Duration HEARTBEAT = Duration.ofMillis(200);
    private static final int NODES = 3;
    private static final int TYPES = 300;

    /** Further types, of which there is one message each. */
    private static final int SILENT = 50;

    /** One in so many messages is empty. */
    private static final int TOMBSTONES = 8;

    @TempDir
    private Path temporary;

    private final long seed = ThreadLocalRandom.current().nextLong();
    private final SplittableRandom random = new SplittableRandom(seed);

    // What the stream comes to: of each type the number in its newest message, unless that is empty.
    private final Map<Integer, Long> newest = new TreeMap<>();
    // Of each type the place of its newest message.
    private final Map<Integer, Long> places = new TreeMap<>();
    private final AtomicLong last = new AtomicLong();
    private long published;

    // ---- the cluster and its stream --------------------------------------------------------------------------------

    private static LocalCluster started(List<String> options) throws IOException, InterruptedException {
        LocalCluster cluster = new LocalCluster(NODES, "state = 8m", options);
        for (int node = 1; node <= NODES; node++) {
            cluster.start(node);
        }
        cluster.awaitReady(WAIT);
        return cluster;
    }

    private RelayPublisher publisher(LocalCluster cluster, int at) throws IOException {
        return RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(at))
                .acks("test")
                .reconnect(RECONNECT)
                .onAck((number, sequence) -> last.set(sequence))
                .build());
    }

    /** Publishes messages of these types, and waits for their acknowledgements. */
    private void publish(RelayPublisher publisher, int bytes, List<Integer> types)
            throws IOException, InterruptedException {
        for (int type : types) {
            ByteBuffer body = ByteBuffer.allocate(type <= TYPES && random.nextInt(TOMBSTONES) == 0 ? 0 : bytes);
            published++;
            places.put(type, published);
            if (body.hasRemaining()) {
                newest.put(type, published);
                body.putLong(0, published);
            } else {
                newest.remove(type);
            }
            assertThat(publisher.publish(type, body, WAIT)).hasToString("ACCEPTED");
        }
        publisher.flush(WAIT);
        assertThat(last).hasValue(published);
    }

    private void publish(RelayPublisher publisher, int bytes, int count) throws IOException, InterruptedException {
        publish(publisher, bytes, random.ints(count, 1, TYPES + 1).boxed().toList());
    }

    // ---- viewers ---------------------------------------------------------------------------------------------------

    /** One that starts with the state, and keeps a view. */
    private static final class Viewer implements AutoCloseable {
        final StateView view = new StateView();
        final List<Gap> losses = new ArrayList<>();
        final List<Boolean> anew = new ArrayList<>();
        // The messages of the last call of upTo: type and number.
        final Map<Integer, Long> got = new TreeMap<>();
        int count;
        final RelaySubscriber subscriber;

        Viewer(SubscriberOptions.Builder options) throws IOException {
            subscriber = RelaySubscriber.open(options.view(view)
                    .heartbeat(HEARTBEAT)
                    .reconnect(RECONNECT)
                    .onGap(this::gap)
                    .onEvent(this::event)
                    .build());
        }

        private void gap(Gap gap) {
            if (gap.isLoss()) {
                losses.add(gap);
            }
        }

        private void event(SessionEvent event) {
            if (event instanceof SessionEvent.Connected connected) {
                anew.add(connected.anew());
            }
        }

        /** Reads up to a PING behind this message; returns the number in the body of each type. */
        Map<Integer, Long> upTo(long sequence) throws IOException {
            got.clear();
            count = 0;
            long end = System.nanoTime() + WAIT.toNanos();
            while (view.next() <= sequence && System.nanoTime() - end < 0) {
                subscriber.poll((number, type, body) -> {
                    got.put(type, number);
                    count++;
                });
            }
            assertThat(view.next()).isEqualTo(sequence + 1);
            Map<Integer, Long> found = new TreeMap<>();
            for (int type : view.types()) {
                found.put(type, view.get(type).orElseThrow().getLong());
            }
            return found;
        }

        @Override
        public void close() {
            subscriber.close();
        }
    }

    private Viewer viewer(LocalCluster cluster, int node) throws IOException {
        return new Viewer(SubscriberOptions.builder(cluster.subscribe(node)).fromState());
    }

    private void assertWhole(LocalCluster cluster, int node) throws IOException {
        try (Viewer viewer = viewer(cluster, node)) {
            assertThat(viewer.upTo(published))
                    .as("node %d, seed %d", node, seed)
                    .isEqualTo(newest);
            assertThat(viewer.view.whole()).isTrue();
            assertThat(viewer.losses).isEmpty();
        }
    }

    // ---- tests -----------------------------------------------------------------------------------------------------

    @Test
    void allNodesHaveTheSameButBehindASnapshot() throws IOException, InterruptedException {
        try (LocalCluster cluster = started(List.of("--admin=none"))) {
            int leader = cluster.leader();
            int other = leader % NODES + 1;
            try (RelayPublisher publisher = publisher(cluster, other);
                    Viewer moving = new Viewer(SubscriberOptions.builder(cluster.subscribeAt(leader))
                            .fromState())) {
                publish(publisher, Long.BYTES, 3_000);
                for (int node = 1; node <= NODES; node++) {
                    assertWhole(cluster, node);
                }
                goesOnAtAnotherNode(cluster, leader, publisher, moving);

                cluster.start(leader);
                cluster.awaitReady(WAIT);
                assertWhole(cluster, leader);

                // Of the leader it is certain that it has the snapshot.
                int leads = cluster.leader();
                ClusterSnapshot.takeSnapshot(cluster.file(), leads);
                publish(publisher, Long.BYTES, 20);
                long before = lost(cluster, leads);
                publish(publisher, Long.BYTES, 20);
                lacksWhatIsBefore(cluster, leads, before);
            }
        }
    }

    /** A viewer of the node that is killed gets what has changed since, once, and keeps the rest of its view. */
    private void goesOnAtAnotherNode(LocalCluster cluster, int leader, RelayPublisher publisher, Viewer moving)
            throws IOException, InterruptedException {
        assertThat(moving.upTo(published)).isEqualTo(newest);
        long had = published;
        cluster.kill(leader);
        publish(publisher, Long.BYTES, 500);
        for (int node = 1; node <= NODES; node++) {
            if (node != leader) {
                assertWhole(cluster, node);
            }
        }
        assertThat(moving.upTo(published)).as("seed %d", seed).isEqualTo(newest);
        assertThat(moving.got)
                .as("seed %d", seed)
                .isEqualTo(behind(places, had))
                .hasSize(moving.count);
        assertThat(moving.anew).containsExactly(true, false);
        assertThat(moving.losses).isEmpty();
        assertThat(moving.view.whole()).isTrue();
    }

    /** Starts a node anew, whose stream then begins at its snapshot; returns the last message before that. */
    private static long lost(LocalCluster cluster, int node) throws IOException, InterruptedException {
        cluster.kill(node);
        cluster.start(node);
        cluster.awaitReady(WAIT);
        Matcher snapshot =
                Pattern.compile("goes on from a snapshot: message (\\d+)").matcher(cluster.said(node));
        assertThat(snapshot.find()).as(cluster.said(node)).isTrue();
        return Long.parseLong(snapshot.group(1)) - 1;
    }

    /** The node says that it lacks what stands before, and lacks nothing for who comes with a number behind that. */
    private void lacksWhatIsBefore(LocalCluster cluster, int node, long before) throws IOException {
        Map<Integer, Long> newer = new TreeMap<>(newest);
        newer.keySet().retainAll(behind(places, before).keySet());
        assertThat(newer).isNotEmpty();
        try (Viewer viewer = viewer(cluster, node)) {
            assertThat(viewer.upTo(published))
                    .as("node %d, seed %d", node, seed)
                    .isEqualTo(newer);
            assertThat(viewer.view.whole()).isFalse();
            assertThat(viewer.losses).containsExactly(new Gap(1, before, GapReason.NOT_HELD.code()));
        }
        assertThat(lossesOfOneWhoComesWith(before, cluster, node, before))
                .containsExactly(new Gap(before, before, GapReason.NOT_HELD.code()));
        assertThat(lossesOfOneWhoComesWith(before + 1, cluster, node, before)).isEmpty();
    }

    private List<Gap> lossesOfOneWhoComesWith(long first, LocalCluster cluster, int node, long before)
            throws IOException {
        List<Gap> losses = new ArrayList<>();
        Map<Integer, Long> got = new TreeMap<>();
        long end = System.nanoTime() + WAIT.toNanos();
        try (RelaySubscriber back = RelaySubscriber.open(SubscriberOptions.builder(cluster.subscribe(node))
                .fromState(0, first)
                .reconnect(RECONNECT)
                .onGap(gap -> losses.addAll(gap.isLoss() ? List.of(gap) : List.of()))
                .build())) {
            while (back.next() <= published && System.nanoTime() - end < 0) {
                back.poll((number, type, body) -> got.put(type, number));
            }
            assertThat(back.next()).isEqualTo(published + 1);
        }
        assertThat(got).as("seed %d", seed).isEqualTo(behind(places, before));
        return losses;
    }

    private static Map<Integer, Long> behind(Map<Integer, Long> places, long number) {
        Map<Integer, Long> behind = new TreeMap<>(places);
        behind.values().removeIf(place -> place <= number);
        return behind;
    }

    /** The state's own snapshot has what the journal has dropped. */
    @Tag("thorough")
    @Test
    void aNodeWithAJournalComesBackWhole() throws IOException, InterruptedException {
        String journals = temporary.resolve("journal-%d").toString();
        try (LocalCluster cluster = started(List.of(
                "--admin=none",
                "--max-body=4k",
                "--journal=" + journals,
                "--journal-segment=64k",
                "--journal-keep=256k"))) {
            int leader = cluster.leader();
            int other = leader % NODES + 1;
            Path journal = Path.of(journals.replace("%d", Integer.toString(leader)));
            try (RelayPublisher publisher = publisher(cluster, other);
                    Viewer moving = new Viewer(SubscriberOptions.builder(cluster.subscribeAt(leader))
                            .fromState())) {
                publish(
                        publisher,
                        500,
                        random.ints(TYPES + 1, TYPES + SILENT + 1)
                                .distinct()
                                .limit(SILENT)
                                .boxed()
                                .toList());
                publishUntilTheyAreInASnapshotAlone(publisher, journal);
                assertThat(moving.upTo(published)).as("seed %d", seed).isEqualTo(newest);

                cluster.kill(leader);
                publish(publisher, 500, 1_000);
                cluster.start(leader);
                cluster.awaitReady(WAIT);
                publish(publisher, 500, 20);
                assertThat(cluster.said(leader)).doesNotContain("the snapshot of the state");
                assertWhole(cluster, leader);
                assertWhole(cluster, other);
                assertThat(moving.upTo(published)).as("seed %d", seed).isEqualTo(newest);
                assertThat(moving.anew).containsExactly(true, false);
                assertThat(moving.losses).isEmpty();
            }
        }
    }

    private void publishUntilTheyAreInASnapshotAlone(RelayPublisher publisher, Path journal)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + WAIT.toNanos();
        Path snapshot = journal.resolve("state");
        Path first = journal.resolve("0".repeat(20) + ".stream");
        while (!Files.exists(snapshot) || Files.exists(first)) {
            assertThat(System.nanoTime() - end)
                    .as("%s exists, %s does not", snapshot, first)
                    .isNegative();
            publish(publisher, 500, 200);
        }
    }
}

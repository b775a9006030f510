package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.cluster.ClusterSnapshot;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The time of day of a node jumps by an hour, forth and back, while messages come. A library that the test compiles
 * tells the node's process another time; monotonic time, which no jump moves, is left as it is.
 */
class ClockJumpTest {
    private static final Duration WAIT = Duration.ofSeconds(120);
    private static final int NODES = 3;
    private static final int EACH = 200;

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");

    @TempDir
    private Path folder;

    /** Compiles the library that tells another time; null: there is no compiler. */
    private Path library() throws IOException, InterruptedException {
        Path source = folder.resolve("clock.c");
        try (InputStream resource = ClockJumpTest.class.getResourceAsStream("clock.c")) {
            Files.copy(resource, source);
        }
        Path library = folder.resolve("clock.so");
        try {
            TestProcess.Outcome compiled = TestProcess.run(
                    "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl");
            assertThat(compiled.exitCode()).as(compiled.said()).isZero();
            return library;
        } catch (IOException e) {
            return null;
        }
    }

    private Path clock(int node) {
        return folder.resolve("clock-" + node);
    }

    private void set(int node, Duration offset) throws IOException {
        try (FileChannel file = FileChannel.open(clock(node), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.nativeOrder())
                    .putLong(0, offset.toSeconds()));
        }
    }

    private static void publish(RelayPublisher publisher, long from, long to) throws IOException, InterruptedException {
        for (long number = from; number <= to; number++) {
            assertThat(publisher.publish(7, ByteBuffer.allocate(8).putLong(0, number), WAIT))
                    .hasToString("ACCEPTED");
        }
        publisher.flush(WAIT);
    }

    /**
     * Waits until two lines of a node, one a second, have its new time: timeouts of Aeron's parts have passed by its
     * clock then.
     */
    private static void awaitTime(LocalCluster cluster, int node, int hours) throws IOException, InterruptedException {
        long end = System.nanoTime() + WAIT.toNanos();
        while (cluster.said(node)
                        .lines()
                        .skip(cluster.said(node).lines().count() - 2)
                        .filter(line -> hours(line) == hours)
                        .count()
                < 2) {
            cluster.checkAllRun();
            assertThat(System.nanoTime() - end).as(cluster.said(node)).isNegative();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Returns the hours between the time at the beginning of a line and this process's. */
    private static long hours(String line) {
        Matcher time = TIME.matcher(line);
        return time.lookingAt()
                ? Math.round(Duration.between(Instant.now(), Instant.parse(time.group()))
                                .toSeconds()
                        / 3_600.0)
                : Long.MIN_VALUE;
    }

    /** A node whose clock was an hour behind when it began, beside a command whose clock was set since. */
    @Tag("thorough")
    @Test
    void aSnapshotByHandNeedsNoClock() throws IOException, InterruptedException {
        Path library = library();
        ThisMachine.need(library != null, "there is no compiler: cc");
        try (LocalCluster cluster = new LocalCluster(1)) {
            startWithClock(cluster, 1, library, Duration.ofHours(-1));
            cluster.awaitReady(WAIT);
            ClusterSnapshot.takeSnapshot(cluster.file(), 1);
            assertThat(cluster.said(1)).contains("has taken a snapshot");
        }
    }

    private void startWithClock(LocalCluster cluster, int node, Path library, Duration offset) throws IOException {
        set(node, offset);
        cluster.environment(
                node,
                Map.of(
                        "LD_PRELOAD",
                        library.toString(),
                        "CLOCK_OFFSET",
                        clock(node).toString()));
        cluster.start(node);
    }

    /** Thorough, as six jumps are waited for, each until a line of every second has said it twice. */
    @Tag("thorough")
    @Test
    void noClockThatJumpsHoldsTheClusterUp() throws IOException, InterruptedException {
        Path library = library();
        ThisMachine.need(library != null, "there is no compiler: cc");
        try (LocalCluster cluster = new LocalCluster(NODES, "", List.of("--progress=1s"))) {
            for (int node = 1; node <= NODES; node++) {
                startWithClock(cluster, node, library, Duration.ZERO);
            }
            cluster.awaitReady(WAIT);
            int leader = cluster.leader();
            int follower = leader % NODES + 1;
            long last = 0;
            try (RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(cluster.publishAt(follower))
                    .acks("test")
                    .reconnect(ReconnectPolicy.endless())
                    .build())) {
                for (int node : List.of(leader, follower)) {
                    for (int hours : List.of(1, -1, 0)) {
                        set(node, Duration.ofHours(hours));
                        awaitTime(cluster, node, hours);
                        publish(publisher, last + 1, last + EACH);
                        last += EACH;
                        cluster.checkAllRun();
                    }
                }
            }
            // A machine that has other things to do may have elected another one, by the time that no jump moves.
            System.out.println("clocks jumped: node " + leader + " led, node " + cluster.leader() + " leads");
        }
    }
}

package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.cli.RelayClientMain;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.scripted.CuttingProxy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code relay-client publish --ack --name --file}, killed and started again, over connections that are cut as well.
 */
class ResumedPublishTest {
    private static final int LIVES = 2;
    private static final int LINES = 4_000;
    private static final int LINES_A_SECOND = 4_000;
    private static final int FARTHEST_CUT = 40_000;
    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    private Path directory;

    private final List<String> got = new ArrayList<>();

    @Test
    void eachLineIsInTheStreamOnce() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("eachLineIsInTheStreamOnce: seed " + seed);
        List<String> lines =
                IntStream.rangeClosed(1, LINES).mapToObj(n -> "line " + n).toList();
        Path file = Files.write(directory.resolve("orders.txt"), lines);
        try (RelayServer relay = relay();
                CuttingProxy proxy =
                        new CuttingProxy(endpoint(relay.publishAddress()), new Random(seed), FARTHEST_CUT);
                RelaySubscriber subscriber =
                        RelaySubscriber.open(SubscriberOptions.builder(endpoint(relay.subscribeAddress()))
                                .fromEarliest()
                                .build())) {
            for (int life = 1; life <= LIVES; life++) {
                boolean last = life == LIVES;
                try (TestProcess publisher = publish(proxy.endpoint(), file, last)) {
                    int enough = last ? LINES : life * LINES / (LIVES + 1);
                    poll(subscriber, enough);
                    if (last) {
                        assertThat(publisher.awaitExit()).isZero();
                    } else {
                        publisher.kill();
                    }
                }
            }
            assertThat(relay.stats().get(Counter.MESSAGES_IN))
                    .as("none is still to come")
                    .isEqualTo(LINES);
        }
        assertThat(got).as("seed %d", seed).isEqualTo(lines);
    }

    private TestProcess publish(Endpoint endpoint, Path file, boolean fast) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "publish",
                endpoint.toString(),
                "--ack",
                "--name=orders/eu",
                "--file=" + file,
                "--state=" + directory.resolve("state"),
                "--reconnect=endless"));
        if (!fast) {
            args.add("--rate=" + LINES_A_SECOND);
        }
        return TestProcess.java(RelayClientMain.class.getName(), args.toArray(String[]::new));
    }

    private void poll(RelaySubscriber subscriber, int messages) throws IOException {
        long end = System.nanoTime() + LONG.toNanos();
        while (got.size() < messages) {
            assertThat(System.nanoTime()).as("in time: %d messages", got.size()).isLessThan(end);
            subscriber.poll((sequence, type, body) -> got.add(new String(Frames.copy(body), UTF_8)));
        }
    }

    private static RelayServer relay() throws IOException {
        return RelayServer.start(
                RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).build());
    }

    private static Endpoint endpoint(InetSocketAddress address) {
        return Endpoint.tcp("127.0.0.1", address.getPort());
    }
}

package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.PositionStore;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.TestProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers with a position in a file, killed again and again: each message is handled at least once, in order. */
@Tag("thorough")
@SuppressWarnings("try") // closing early is how it ends
class PositionSystemTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int MESSAGES = 20_000;
    private static final int LIVES = 4;

    @TempDir
    private Path folder;

    /** A process that prints what it handles, until it has had the last message: SUBSCRIBE-PORT FILE. */
    static final class Handling {
        private Handling() {}

        public static void main(String[] args) throws Exception {
            SubscriberOptions options = SubscriberOptions.builder("127.0.0.1:" + args[0])
                    .fromEarliest()
                    .positions(PositionStore.file(Path.of(args[1])), Duration.ofMillis(1))
                    .build();
            try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
                subscriber.run((sequence, type, body) -> {
                    System.out.println(sequence);
                    if (sequence == MESSAGES) {
                        subscriber.close();
                    }
                });
            }
        }
    }

    private static void publish(Endpoint to, String name, int messages) throws Exception {
        try (RelayPublisher publisher =
                RelayPublisher.open(PublisherOptions.builder(to).acks(name).build())) {
            for (int i = 0; i < messages; i++) {
                publisher.publish(1, "message " + i);
            }
            publisher.flush(LONG);
        }
    }

    @Test
    void eachMessageIsHandledAtLeastOnceWhateverIsKilled() throws Exception {
        Path file = folder.resolve("audit.position");
        try (RelayServer relay = RelayServer.start(RelayConfig.builder(0, 0).build())) {
            Endpoint to = Endpoint.of(relay.publishAddress());
            String port = "" + relay.subscribeAddress().getPort();
            long handled = 0;
            for (int life = 1; life <= LIVES; life++) {
                // Each life has messages that the one before cannot have handled.
                long all = (long) MESSAGES * life / LIVES;
                publish(to, "life " + life, MESSAGES / LIVES);
                long enough = life < LIVES ? all - MESSAGES / LIVES / 2 : all;
                try (TestProcess subscriber = TestProcess.java(Handling.class.getName(), port, file.toString())) {
                    subscriber.line(line -> Long.parseLong(line) >= enough);
                    if (life < LIVES) {
                        subscriber.signal("KILL");
                    }
                    assertThat(subscriber.awaitExit() == 0).isEqualTo(life == LIVES);
                    List<String> lines = subscriber.lines();
                    long first = Long.parseLong(lines.get(0));
                    assertThat(first).as("nothing is left out").isBetween(1L, handled + 1);
                    List<String> expected = LongStream.range(first, first + lines.size())
                            .mapToObj(Long::toString)
                            .toList();
                    // The last line may be cut.
                    int whole = lines.equals(expected) ? lines.size() : lines.size() - 1;
                    assertThat(lines.subList(0, whole)).isEqualTo(expected.subList(0, whole));
                    handled = Math.max(handled, first + whole - 1);
                }
            }
            assertThat(handled).isEqualTo(MESSAGES);
            assertThat(PositionStore.file(file).load().orElseThrow().next()).isEqualTo(MESSAGES + 1);
        }
    }
}

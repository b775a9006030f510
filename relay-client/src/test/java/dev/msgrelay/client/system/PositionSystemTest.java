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

    @Test
    void eachMessageIsHandledAtLeastOnceWhateverIsKilled() throws Exception {
        Path file = folder.resolve("audit.position");
        try (RelayServer relay = RelayServer.start(
                RelayConfig.builder().publishPort(0).subscribePort(0).build())) {
            Endpoint to = Endpoint.of(relay.publishAddress());
            try (RelayPublisher publisher = RelayPublisher.open(
                    PublisherOptions.builder(to).acks("orders").build())) {
                for (int i = 0; i < MESSAGES; i++) {
                    publisher.publish(1, "message " + i);
                }
                publisher.flush(LONG);
            }
            long handled = 0;
            for (int life = 1; life <= LIVES; life++) {
                long enough = (long) MESSAGES * life / LIVES;
                String port = "" + relay.subscribeAddress().getPort();
                try (TestProcess subscriber = TestProcess.java(Handling.class.getName(), port, file.toString())) {
                    subscriber.line(line -> Long.parseLong(line) >= enough);
                    if (life < LIVES) {
                        subscriber.signal("KILL");
                    }
                    assertThat(subscriber.awaitExit() == 0).isEqualTo(life == LIVES);
                    List<String> lines = subscriber.lines();
                    // The last line may be cut.
                    List<String> whole = life < LIVES ? lines.subList(0, lines.size() - 1) : lines;
                    long first = Long.parseLong(whole.get(0));
                    assertThat(first).as("nothing is left out").isBetween(1L, handled + 1);
                    assertThat(whole)
                            .isEqualTo(LongStream.range(first, first + whole.size())
                                    .mapToObj(Long::toString)
                                    .toList());
                    handled = Math.max(handled, first + whole.size() - 1);
                }
            }
            assertThat(handled).isEqualTo(MESSAGES);
            assertThat(PositionStore.file(file).load().orElseThrow().next()).isEqualTo(MESSAGES + 1);
        }
    }
}

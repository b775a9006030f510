package dev.msgrelay.client;

import static dev.msgrelay.client.ScriptedPublishing.badEnd;
import static dev.msgrelay.client.ScriptedPublishing.unflushed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a publisher's connection ends: closed, failed, or ended by the relay. */
@SuppressWarnings("try") // closing early is what is tested
class PublisherEndTest {
    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir(factory = ShortFolders.class)
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "unix"})
    void closeSendsWhatIsLeftAndEndsTheStream(String transport) throws Exception {
        int[] received = new int[1];
        try (ScriptedRelay server = Frames.relay(transport, directory);
                RelayPublisher publisher = RelayPublisher.connect(RelayPublisherTest.plain(server.endpoint())
                        .closeTimeout(LONG)
                        .build());
                SocketChannel accepted = server.accept().channel()) {
            int sent = RelayPublisherTest.publishUntilFull(publisher);
            CompletableFuture<Void> closing =
                    CompletableFuture.runAsync(() -> ScriptedPublishing.closeQuietly(publisher));
            Frames.serve(accepted, (type, body) -> received[0]++);
            closing.get(120, TimeUnit.SECONDS);

            assertThat(received[0]).isEqualTo(sent);
            assertThat(publisher.failure()).isEmpty();
            assertThat(publisher.publish(1, ByteBuffer.allocate(1))).isEqualTo(PublishOutcome.CLOSED);
            assertThat(publisher.publish(1, ByteBuffer.allocate(1), LONG)).isEqualTo(PublishOutcome.CLOSED);
            // Nothing is left to wait for.
            publisher.flush(LONG);
            publisher.close();
        }
    }

    @Test
    void closeEndsAtItsBoundAndSaysWhatWasLost() throws Exception {
        Duration bound = Duration.ofMillis(100);
        try (ScriptedRelay server = ScriptedRelay.unix(directory);
                RelayPublisher publisher = RelayPublisher.connect(RelayPublisherTest.plain(server.endpoint())
                        .closeTimeout(bound)
                        .build());
                SocketChannel neverRead = server.accept().channel()) {
            RelayPublisherTest.publishUntilFull(publisher);
            long start = System.nanoTime();
            PublishException end = badEnd(publisher);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(bound);
            long unsent = publisher.messages() - publisher.settled();
            assertThat(unsent).isPositive();
            assertThat(end)
                    .hasMessage("closed with " + unsent + " messages not sent to " + server.endpoint()
                            + ": 100 ms were over");
            assertThat(neverRead.isOpen()).isTrue();
        }
    }

    @Test
    void closeFreesAProducerThatWaits() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.unix(directory);
                RelayPublisher publisher = RelayPublisher.connect(RelayPublisherTest.plain(server.endpoint())
                        .closeTimeout(Duration.ofMillis(100))
                        .build());
                SocketChannel neverRead = server.accept().channel()) {
            RelayPublisherTest.publishUntilFull(publisher);
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<PublishOutcome> waiting = CompletableFuture.supplyAsync(() -> {
                started.countDown();
                try {
                    return publisher.publish(1, ByteBuffer.allocate(100), LONG);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            started.await();
            badEnd(publisher);
            assertThat(waiting.get(120, TimeUnit.SECONDS)).isEqualTo(PublishOutcome.CLOSED);
            assertThat(unflushed(publisher, LONG)).as("failed, not waited for").isNotNull();
            assertThat(neverRead.isOpen()).isTrue();
        }
    }

    @Test
    void anInterruptedCloseEndsAtOnceAndKeepsTheInterrupt() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.unix(directory);
                RelayPublisher publisher = RelayPublisher.connect(RelayPublisherTest.plain(server.endpoint())
                        .closeTimeout(LONG)
                        .build());
                SocketChannel neverRead = server.accept().channel()) {
            RelayPublisherTest.publishUntilFull(publisher);
            Thread.currentThread().interrupt();
            badEnd(publisher);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(publisher.failure().orElseThrow()).hasMessageContaining("interrupted");
            assertThat(neverRead.isOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "unix"})
    void keepsTheReasonThatTheRelayGives(String transport) throws Exception {
        try (ScriptedRelay server = Frames.relay(transport, directory);
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint())) {
            try (SocketChannel accepted = server.accept().channel()) {
                Frames.write(accepted, ErrorFrame.encode(CloseReason.SHUTDOWN, "for maintenance"));
            }
            publishUntilClosed(publisher);
            assertRelayError(publisher, CloseReason.SHUTDOWN, "for maintenance");
        }
    }

    /** Such a close resets the connection: what the relay had said before must not be lost over that. */
    @Test
    void keepsTheReasonWhereTheRelayLeavesInputUnread() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint())) {
            try (SocketChannel accepted = server.accept().channel()) {
                RelayPublisherTest.publishUntilFull(publisher);
                Frames.write(accepted, ErrorFrame.encode(CloseReason.OVERSIZED_LENGTH, "too long"));
            }
            publishUntilClosed(publisher);
            assertRelayError(publisher, CloseReason.OVERSIZED_LENGTH, "too long");
        }
    }

    @Test
    void hearsAnObjectionThatComesAfterTheLastMessage() throws Exception {
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(RelayPublisherTest.plain(server.endpoint())
                        .closeTimeout(LONG)
                        .onEvent(events::add)
                        .build());
                SocketChannel accepted = server.accept().channel()) {
            publisher.publish(1, new byte[] {1}, 0, 1);
            CompletableFuture<Void> closing =
                    CompletableFuture.runAsync(() -> ScriptedPublishing.closeQuietly(publisher));
            Frames.readAll(accepted, (type, body) -> {});
            Frames.write(accepted, ErrorFrame.encode(CloseReason.INTERNAL_ERROR, ""));
            accepted.close();
            closing.get(120, TimeUnit.SECONDS);
            assertRelayError(publisher, CloseReason.INTERNAL_ERROR, "");
            assertThat(events).last().isInstanceOf(SessionEvent.GaveUp.class);
        }
    }

    @Test
    void aRelayThatClosesWithoutAWordIsAFailureToo() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint())) {
            server.accept().channel().close();
            publishUntilClosed(publisher);
            assertThat(publisher.failure().orElseThrow())
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("(connection to E lost: .*|the relay at E closed the connection)"
                            .replace("E", server.endpoint().toString()));
        }
    }

    @Test
    void anErrorFrameCutShortIsAFailureWithoutAReason() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint())) {
            try (SocketChannel accepted = server.accept().channel()) {
                ByteBuffer error = ErrorFrame.encode(CloseReason.SHUTDOWN, "cut");
                Frames.write(accepted, error.limit(error.limit() - 1));
            }
            publishUntilClosed(publisher);
            assertThat(publisher.failure().orElseThrow()).isNotInstanceOf(RelayErrorException.class);
        }
    }

    private static void publishUntilClosed(RelayPublisher publisher) {
        ByteBuffer body = ByteBuffer.allocate(10);
        long end = System.nanoTime() + LONG.toNanos();
        while (publisher.publish(1, body) != PublishOutcome.CLOSED) {
            assertThat(System.nanoTime()).as("closed in time").isLessThan(end);
            Thread.yield();
        }
        badEnd(publisher);
    }

    private static void assertRelayError(RelayPublisher publisher, CloseReason reason, String text) {
        IOException failure = publisher.failure().orElseThrow();
        assertThat(failure).isInstanceOf(RelayErrorException.class).hasMessageContaining(reason.text());
        assertThat(((RelayErrorException) failure).reason()).isSameAs(reason);
        assertThat(((RelayErrorException) failure).text()).isEqualTo(text);
    }
}

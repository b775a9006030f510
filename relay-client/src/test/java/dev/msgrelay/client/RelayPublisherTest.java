package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Content, order, batching and refusal, against a server that reads as it likes. */
@SuppressWarnings("try") // closing early is what is tested
class RelayPublisherTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration FULL_FOR = Duration.ofMillis(500);

    @TempDir(factory = ShortFolders.class)
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "unix"})
    void whatSeveralThreadsPublishArrivesByteForByteInTheOrderOfEach(String transport) throws Exception {
        int producers = 4;
        int each = 20_000;
        long seed = new Random().nextLong();
        int[] next = new int[producers];
        try (ScriptedRelay server = Frames.relay(transport, directory);
                RelayPublisher publisher =
                        RelayPublisher.connect(small(server.endpoint()).build());
                SocketChannel accepted = server.accept().channel()) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int id = 0; id < producers; id++) {
                threads.add(produce(publisher, seed, id, each));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new))
                    .whenComplete((done, e) -> ScriptedPublishing.closeQuietly(publisher));
            Frames.serve(accepted, (type, body) -> {
                byte[] expected = body(seed, type, next[type]++);
                assertThat(Frames.copy(body)).as("seed %d", seed).isEqualTo(expected);
            });
            all.get(120, TimeUnit.SECONDS);
            assertThat(next).containsOnly(each);
            assertThat(publisher.messages()).isEqualTo(producers * each);
            assertThat(publisher.settledBytes()).isEqualTo(publisher.bytes());
            assertThat(publisher.failure()).isEmpty();
        }
    }

    @Test
    void refusesWhenFullAndGoesOnWhenTheRelayReads() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.unix(directory);
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint());
                SocketChannel accepted = server.accept().channel()) {
            int before = publishUntilFull(publisher);
            assertThat(publisher.messages()).isEqualTo(before);
            assertThat(ScriptedPublishing.unflushed(publisher, SHORT)).hasMessageContaining("not sent to");
            assertThat(publisher.publish(1, ByteBuffer.allocate(100), SHORT)).isEqualTo(PublishOutcome.FULL);
            assertThat(publisher.failure()).isEmpty();

            CompletableFuture<Integer> received = countInOrder(accepted);
            assertThat(publisher.publish(1, numbered(before), LONG)).isEqualTo(PublishOutcome.ACCEPTED);
            publisher.flush(LONG);
            assertThat(publisher.settledBytes()).isEqualTo(publisher.bytes());
            publisher.close();
            assertThat(received.get(120, TimeUnit.SECONDS)).isEqualTo(before + 1);
        }
    }

    @Test
    void whatGathersGoesOutInFewWrites() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.unix(directory);
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint());
                SocketChannel accepted = server.accept().channel()) {
            publishUntilFull(publisher);
            long gathered = (publisher.bytes() - publisher.settledBytes()) / FrameLayout.frameLength(100);
            long writes = publisher.writes();
            assertThat(gathered).isGreaterThan(5000);

            CompletableFuture<Integer> received = countInOrder(accepted);
            publisher.close();
            received.get(120, TimeUnit.SECONDS);
            assertThat(publisher.writes() - writes).isLessThan(gathered / 10);
        }
    }

    @Test
    void takesTheLargestBody() throws Exception {
        byte[] largest = new byte[FrameLayout.DEFAULT_MAX_BODY];
        new Random(1).nextBytes(largest);
        List<byte[]> got = new ArrayList<>();
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint());
                SocketChannel accepted = server.accept().channel()) {
            publisher.publish(1, new byte[] {7}, 0, 1);
            CompletableFuture<Void> reading =
                    CompletableFuture.runAsync(() -> read(accepted, (type, body) -> got.add(Frames.copy(body))));
            assertThat(publisher.publish(2, ByteBuffer.wrap(largest), LONG)).isEqualTo(PublishOutcome.ACCEPTED);
            publisher.close();
            reading.get(120, TimeUnit.SECONDS);
        }
        assertThat(got).hasSize(2);
        assertThat(got.get(1)).isEqualTo(largest);
    }

    @Test
    void anIdlePublisherSendsAtOnce() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint());
                SocketChannel accepted = server.accept().channel()) {
            ByteBuffer received = ByteBuffer.allocate(9);
            for (byte i = 0; i < 100; i++) {
                publisher.publish(i, new byte[] {i}, 0, 1);
                received.clear();
                while (received.hasRemaining()) {
                    assertThat(accepted.read(received)).isPositive();
                }
                assertThat(received.array()).isEqualTo(Frames.frame(i, i).array());
            }
            accepted.close();
            ScriptedPublishing.closeQuietly(publisher);
        }
    }

    @Test
    void misuseIsNamedAndTakesNothing() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher =
                        RelayPublisher.connect(small(server.endpoint()).build());
                SocketChannel accepted = server.accept().channel()) {
            assertThat(accepted.isOpen()).isTrue();
            assertThatThrownBy(() -> publisher.publish(ControlFrames.ERROR, ByteBuffer.allocate(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0x80000009");
            assertThatThrownBy(() -> publisher.publish(1, new byte[1025], 0, 1025))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1025")
                    .hasMessageContaining("1024");
            assertThatThrownBy(() -> publisher.publish(1, new byte[3], 2, 2))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> publisher.publish(1, "\uD800"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate");
            assertThat(publisher.messages()).isZero();
            accepted.close();
            ScriptedPublishing.closeQuietly(publisher);
        }
    }

    @Test
    void publishingAllocatesNothing() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int messages = 50_000;
        try (ScriptedRelay server = ScriptedRelay.tcp();
                RelayPublisher publisher = RelayPublisher.connect(server.endpoint());
                SocketChannel accepted = server.accept().channel()) {
            CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> read(accepted, (type, body) -> {}));
            ByteBuffer buffer = ByteBuffer.allocateDirect(100);
            byte[] array = new byte[100];
            publishMany(publisher, buffer, array, 1000);
            long before = threads.getCurrentThreadAllocatedBytes();
            publishMany(publisher, buffer, array, messages);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes for %d messages", messages).isLessThan(messages);
            publisher.close();
            reading.get(120, TimeUnit.SECONDS);
        }
    }

    @Test
    void settingsThatCannotWorkAreNamed() {
        PublisherOptions.Builder small = small(Endpoint.tcp("127.0.0.1", 1));
        assertThatThrownBy(() -> small.bufferSize(1031).build())
                .hasMessageContaining("1031")
                .hasMessageContaining("1032");
        assertThatThrownBy(() -> small.maxBody(-1).build()).hasMessageContaining("maxBody -1");
        assertThatThrownBy(() -> small.maxBody(1).closeTimeout(Duration.ZERO).build())
                .hasMessageContaining("closeTimeout");
        assertThatThrownBy(
                        () -> small.bufferSize((1 << 30) + 1).closeTimeout(LONG).build())
                .hasMessageContaining("bufferSize 1073741825");
        assertThat(PublisherOptions.builder(Endpoint.tcp("127.0.0.1", 1))
                        .maxBody(2 << 20)
                        .build()
                        .bufferSize())
                .as("grows along")
                .isEqualTo((2 << 20) + 8);
    }

    /** One plain connection, as {@link RelayPublisher#connect(Endpoint)} makes it. */
    static PublisherOptions.Builder plain(Endpoint endpoint) {
        return PublisherOptions.builder(endpoint).plain().reconnect(ReconnectPolicy.none());
    }

    private static PublisherOptions.Builder small(Endpoint endpoint) {
        return plain(endpoint)
                .bufferSize(4096)
                .maxBody(1024)
                .connectTimeout(LONG)
                .closeTimeout(LONG);
    }

    private static void publishMany(RelayPublisher publisher, ByteBuffer buffer, byte[] array, int messages) {
        for (int i = 0; i < messages; i++) {
            PublishOutcome outcome;
            do {
                outcome = (i & 1) == 0 ? publisher.publish(1, buffer) : publisher.publish(1, array, 0, 100);
            } while (outcome == PublishOutcome.FULL);
        }
    }

    private static CompletableFuture<Void> produce(RelayPublisher publisher, long seed, int id, int messages) {
        return CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < messages; i++) {
                        byte[] body = body(seed, id, i);
                        PublishOutcome outcome = i % 2 == 0
                                ? publish(publisher, id, body)
                                : publishWaiting(publisher, id, ByteBuffer.wrap(body));
                        assertThat(outcome).isEqualTo(PublishOutcome.ACCEPTED);
                    }
                },
                command -> new Thread(command, "producer " + id).start());
    }

    private static PublishOutcome publish(RelayPublisher publisher, int type, byte[] body) {
        try {
            return publisher.publish(type, body, 0, body.length, LONG);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static PublishOutcome publishWaiting(RelayPublisher publisher, int type, ByteBuffer body) {
        try {
            return publisher.publish(type, body, LONG);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What producer {@code id} publishes as its message number {@code n}. */
    private static byte[] body(long seed, int id, int n) {
        Random random = new Random(seed ^ ((long) id << 32 | n));
        byte[] body = new byte[random.nextInt(300)];
        random.nextBytes(body);
        return body;
    }

    /**
     * Messages of 100 bytes that carry their number, until there is no room for a while: by then it is the socket that
     * takes no more. A Unix socket stays full until it is read; TCP may take more at the next probe of a closed window.
     * Returns how many were accepted.
     */
    static int publishUntilFull(RelayPublisher publisher) throws InterruptedException {
        int n = 0;
        long settled;
        do {
            settled = publisher.settledBytes();
            while (publisher.publish(1, numbered(n), FULL_FOR) == PublishOutcome.ACCEPTED) {
                assertThat(++n).as("bounded").isLessThan(1_000_000);
            }
            // Else the publisher's thread had only not come to it: the socket has taken something since.
        } while (publisher.settledBytes() != settled);
        return n;
    }

    private static ByteBuffer numbered(int n) {
        return ByteBuffer.allocate(100).putInt(0, n);
    }

    private static CompletableFuture<Integer> countInOrder(SocketChannel channel) {
        int[] count = new int[1];
        return CompletableFuture.supplyAsync(() -> {
            read(channel, (type, body) -> {
                assertThat(body.remaining()).isEqualTo(100);
                assertThat(body.getInt(body.position())).isEqualTo(count[0]++);
            });
            return count[0];
        });
    }

    private static void read(SocketChannel channel, FrameConsumer consumer) {
        try {
            Frames.serve(channel, consumer);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

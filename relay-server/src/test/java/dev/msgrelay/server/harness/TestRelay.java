package dev.msgrelay.server.harness;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.stream.WindowGate;
import dev.msgrelay.testing.Directories;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A relay on free ports or in a folder of its own, and where its clients connect to. */
public final class TestRelay implements AutoCloseable {
    /** The smallest log that a body of up to 256 KiB allows: a subscriber falls behind quickly. */
    public static final int SMALL_LOG = 3 << 20;

    public static final int SMALL_RING = 1 << 20;
    public static final int SMALL_MAX_BODY = (256 << 10) - 8;

    /** What a subscriber that reads needs, on any machine. */
    public static final int DRAIN_SECONDS = 60;

    /** Of whatever a test waits for nothing of: a machine that stands still for a while is no fault of a client. */
    private static final Duration PATIENCE = Duration.ofSeconds(Await.LIMIT_SECONDS);

    private final RelayServer relay;
    private final Path folder;

    private TestRelay(RelayServer relay, Path folder) {
        this.relay = relay;
        this.folder = folder;
    }

    /** A relay with the defaults of a test, more patient than users have it. */
    public static TestRelay start(Setting setting) throws IOException {
        return start(setting, builder -> builder);
    }

    public static TestRelay small(Setting setting, Policy policy) throws IOException {
        return small(setting, policy, builder -> builder);
    }

    /** Likewise; {@code more} changes what is to be different. */
    public static TestRelay small(Setting setting, Policy policy, UnaryOperator<RelayConfig.Builder> more)
            throws IOException {
        return start(
                setting,
                builder -> more.apply(builder.set(RING_SIZE, SMALL_RING)
                        .set(LOG_SIZE, SMALL_LOG)
                        .set(MAX_BODY, SMALL_MAX_BODY)
                        .set(SLOW_SUBSCRIBER, policy)));
    }

    /** Publishes a message of publisher 0 until the ring is full for readers that stand still; answers how many. */
    public int fill(LocalPublisher local, int length) {
        int number = 0;
        for (boolean full = false; !full; ) {
            PublishOutcome outcome = publish(local, number, length, TimeUnit.MILLISECONDS.toNanos(5));
            number += outcome == PublishOutcome.ACCEPTED ? 1 : 0;
            full = outcome == PublishOutcome.FULL && heldByReaders();
        }
        return number;
    }

    public static PublishOutcome publish(LocalPublisher local, int number, int length, long waitNanos) {
        int type = Frames.type(0, number);
        return local.publish(type, new Frames().frame(type, length).buffer().position(8), waitNanos);
    }

    public static TestRelay start(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        RelayConfig.Builder builder = RelayConfig.builder(0, 0)
                .set(LOG_SIZE, 8 << 20)
                .set(DRAIN_TIMEOUT, Duration.ofSeconds(DRAIN_SECONDS))
                .set(HANDSHAKE_TIMEOUT, PATIENCE)
                .set(IDLE_TIMEOUT, PATIENCE)
                .set(FRAME_TIMEOUT, PATIENCE)
                .set(STALL_TIMEOUT, PATIENCE)
                .set(NAME_HOLD, PATIENCE)
                .set(TRANSPORT, setting.transport())
                .set(EVENT_LOOPS, setting.loops());
        Path folder = null;
        if (setting.unix()) {
            folder = Directories.forSockets("relay");
            builder.set(PUBLISH_SOCKET, folder.resolve("pub")).set(SUBSCRIBE_SOCKET, folder.resolve("sub"));
        }
        return new TestRelay(RelayServer.start(more.apply(builder).build()), folder);
    }

    public RelayServer relay() {
        return relay;
    }

    public RelayStats stats() {
        return relay.stats();
    }

    public SocketAddress publish() {
        return folder == null ? relay.publishAddress() : UnixDomainSocketAddress.of(folder.resolve("pub"));
    }

    public SocketAddress subscribe() {
        return folder == null ? relay.subscribeAddress() : UnixDomainSocketAddress.of(folder.resolve("sub"));
    }

    public PlainPublisher publisher() throws IOException {
        return PlainPublisher.connect(publish());
    }

    /** A subscriber that gets everything published from now on. */
    public PlainSubscriber subscriber() throws IOException {
        int before = stats().subscribers();
        PlainSubscriber subscriber = PlainSubscriber.connect(subscribe());
        awaitSubscribers(before + 1);
        return subscriber;
    }

    public PlainSubscriber pausedSubscriber() throws IOException {
        int before = stats().subscribers();
        PlainSubscriber subscriber = PlainSubscriber.connectPaused(subscribe(), 16 << 10);
        awaitSubscribers(before + 1);
        return subscriber;
    }

    /** A subscriber that is to say HELLO, and reads. */
    public SpeakingSubscriber speaker(Numbered messages) throws IOException {
        return SpeakingSubscriber.connect(subscribe(), new Account(messages));
    }

    /** A subscriber that is to say HELLO, and does not read yet. */
    public SpeakingSubscriber pausedSpeaker(Numbered messages) throws IOException {
        return SpeakingSubscriber.connectPaused(subscribe(), new Account(messages));
    }

    public void awaitSubscribers(int count) {
        Await.until(() -> count + " subscribers: " + stats(), () -> stats().subscribers() == count);
    }

    public void awaitPublishers(int count) {
        Await.until(() -> count + " publishers: " + stats(), () -> stats().publishers() == count);
    }

    public void awaitMessagesIn(long count) {
        Await.until(() -> count + " messages in: " + stats(), () -> stats().get(Counter.MESSAGES_IN) >= count);
    }

    public void awaitClosed(CloseReason reason, long count) {
        Await.until(() -> count + " closed as " + reason + ": " + stats(), () -> closed(reason) == count);
    }

    /** Whether publishers wait for a subscriber that does not read: what is full now stays so. */
    public boolean heldByReaders() {
        WindowGate gate = Sessions.gate(Sessions.get(relay, "engine"));
        return gate.blockedByReaders();
    }

    public long closed(CloseReason reason) {
        return stats().closes().getOrDefault(reason, 0L);
    }

    @Override
    public void close() throws IOException {
        relay.close();
        if (folder != null) {
            Files.deleteIfExists(folder);
        }
    }
}

package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.stream.NodeLeftException;
import io.netty.channel.epoll.Epoll;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The end of a relay from any thread, and what it says of its own life; and local publishers that nobody has any more.
 */
class RelayCloseTest {
    private final long before = PlatformDependent.usedDirectMemory();

    /** On the thread that reads, and on the one that sends, which may be another. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void onALoopsOwnThreadItReturnsAtOnceAndEndsElsewhere(Setting setting) throws Exception {
        for (boolean publisherSide : new boolean[] {true, false}) {
            try (TestRelay relay = TestRelay.start(setting);
                    PlainPublisher publisher = relay.publisher();
                    PlainSubscriber subscriber = relay.subscriber()) {
                relay.awaitPublishers(1);
                relay.awaitSubscribers(1);
                Session connection = relay.relay().engine().services().table().live().stream()
                        .filter(c -> Sessions.messages(c) == 0
                                && c.kind() == (publisherSide ? Role.PUBLISHER : Role.SUBSCRIBER))
                        .findFirst()
                        .orElseThrow();
                CountDownLatch returned = new CountDownLatch(1);
                AtomicBoolean inLoop = new AtomicBoolean();
                connection.execute(() -> {
                    relay.relay().close();
                    // As one does that is called again on its way.
                    relay.relay().close();
                    inLoop.set(connection.isHere());
                    returned.countDown();
                });
                assertThat(returned.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                assertThat(inLoop).isTrue();
                // From elsewhere it waits for the end.
                relay.relay().close();
                assertThat(publisher.readToEnd().remaining()).as("ERROR: why").isPositive();
                subscriber.awaitEnd();
                assertThat(relay.relay().engine().services().table().allGone()).isTrue();
                assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
            }
        }
    }

    @Test
    void whoClosesSecondReturnsWhenItIsDone() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            Thread[] all = new Thread[4];
            AtomicBoolean early = new AtomicBoolean();
            for (int i = 0; i < all.length; i++) {
                all[i] = new Thread(() -> {
                    relay.relay().close();
                    if (PlatformDependent.usedDirectMemory() != before) {
                        early.set(true);
                    }
                });
                all[i].start();
            }
            for (Thread thread : all) {
                Await.join(thread);
            }
            assertThat(early)
                    .as("one came back before the memory was given back")
                    .isFalse();
        }
    }

    /** A relay that has had to stop still has threads and memory to give back. */
    @Test
    void afterAFaultItIsClosedLikeAnyOther() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP);
                PlainSubscriber subscriber = relay.subscriber()) {
            relay.awaitSubscribers(1);
            LocalPublisher local = relay.relay().newLocalPublisher();
            assertThat(relay.relay().ready()).isTrue();
            relay.relay().failed(new IllegalStateException("provoked by a test: the log is in doubt"));
            assertThat(relay.relay().failure()).isCompleted();
            assertThat(relay.relay().live()).isFalse();
            assertThat(relay.relay().ready()).isFalse();
            assertThat(local.publish(1, ByteBuffer.allocate(1))).isEqualTo(PublishOutcome.CLOSED);
            relay.relay().close();
            subscriber.awaitEnd();
            assertThat(relay.relay().engine().services().table().allGone()).isTrue();
            assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
        }
    }

    /** Clients hear it, and the ports are free, before anybody is told who may halt the process. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aHungDiskEndsConnectionsFirst(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainPublisher publisher = relay.publisher();
                PlainSubscriber subscriber = relay.subscriber()) {
            relay.awaitPublishers(1);
            relay.awaitSubscribers(1);
            InetSocketAddress address = relay.relay().subscribeAddress();
            AtomicReference<Throwable> connected = new AtomicReference<>();
            relay.relay().failure().thenRun(() -> connected.set(catchThrowable(() -> connect(address))));
            Throwable cause = NodeLeftException.ofHungDisk("provoked by a test: the disk hangs");
            relay.relay().failed(cause);
            assertThat(relay.relay().failure()).isCompletedWithValue(cause);
            assertThat(connected.get()).isInstanceOf(ConnectException.class);
            assertThat(publisher.readToEnd().remaining()).isZero();
            subscriber.awaitEnd();
            relay.relay().close();
            assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
        }
    }

    /** Its loop may read a journal that lies on the same disk. */
    @Test
    void aHungLoopHoldsNoConnectionOfAHungDisk() throws Exception {
        assumeThat(Epoll.isAvailable()).isTrue();
        CountDownLatch goOn = new CountDownLatch(1);
        try (TestRelay relay = TestRelay.start(new Setting(Transport.EPOLL, false, 1));
                PlainSubscriber subscriber = relay.subscriber()) {
            relay.awaitSubscribers(1);
            InetSocketAddress address = relay.relay().subscribeAddress();
            standStill(relay, goOn);
            relay.relay().failed(NodeLeftException.ofHungDisk("provoked by a test: the disk hangs"));
            subscriber.awaitEnd();
            assertThatThrownBy(() -> connect(address)).isInstanceOf(ConnectException.class);
            assertThat(goOn.getCount()).as("the loop hangs").isOne();
            goOn.countDown();
        }
    }

    /** It may use the memory for as long as it stands still; who closes the relay does not wait for that. */
    @Test
    void aLoopThatStandsStillGivesTheMemoryBackLater() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(DRAIN_TIMEOUT, Duration.ZERO))) {
            standStill(relay, goOn);
            relay.relay().close();
            assertThat(goOn.getCount()).as("the loop stands still").isOne();
            assertThat(PlatformDependent.usedDirectMemory()).isGreaterThan(before);
            goOn.countDown();
            Await.until("the memory is given back", () -> PlatformDependent.usedDirectMemory() == before);
        } finally {
            goOn.countDown();
        }
    }

    /** Returns once the core's loop stands still, which it does until it may go on. */
    private static void standStill(TestRelay relay, CountDownLatch goOn) throws InterruptedException {
        CountDownLatch stands = new CountDownLatch(1);
        relay.relay().engine().core().io().execute(() -> {
            stands.countDown();
            try {
                goOn.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(stands.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private static void connect(InetSocketAddress address) throws IOException {
        new Socket(address.getAddress(), address.getPort()).close();
    }

    /** What is in doubt is not sent, not even where whoever hears of the fault closes the relay first. */
    @Test
    void afterAFaultNothingIsDrained() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(DRAIN_TIMEOUT, Duration.ofDays(1)));
                PlainSubscriber subscriber = PlainSubscriber.connectPaused(relay.subscribe(), 4096)) {
            relay.awaitSubscribers(1);
            try (LocalPublisher local = relay.relay().newLocalPublisher()) {
                ByteBuffer body = ByteBuffer.allocate(1 << 20);
                // More than its socket takes, less than the log holds.
                for (int i = 0; i < 7; i++) {
                    assertThat(local.publish(1, body, Await.LIMIT_NANOS)).isEqualTo(PublishOutcome.ACCEPTED);
                }
            }
            relay.awaitMessagesIn(7);
            relay.relay().failure().thenRun(relay.relay()::close);
            relay.relay().failed(new IllegalStateException("provoked by a test: the log is in doubt"));
            assertThat(relay.relay().engine().services().table().allGone()).isTrue();
            assertThat(subscriber.received()).isNotNull();
        }
    }

    /** Half an end would keep threads and memory, and the journal from the next relay. */
    @Test
    void anInterruptDoesNotCutTheEndShort() throws Exception {
        // Three loops that sleep, and have to be waited for.
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(EVENT_LOOPS, 3))) {
            Thread.currentThread().interrupt();
            relay.relay().close();
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
        }
    }

    @Test
    void aLocalPublisherThatIsDroppedIsForgotten() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            LocalPublisher kept = relay.relay().newLocalPublisher();
            LocalPublisher closed = relay.relay().newLocalPublisher();
            dropped(relay.relay());
            assertThat(relay.stats().get(Counter.LOCAL_PUBLISHERS)).isEqualTo(5);
            closed.close();
            Await.until(() -> "it is forgotten: " + relay.stats(), () -> {
                System.gc();
                return relay.stats().get(Counter.LOCAL_PUBLISHERS) == 1;
            });
            relay.awaitMessagesIn(3);
            assertThat(kept.publish(7, ByteBuffer.allocate(1))).isEqualTo(PublishOutcome.ACCEPTED);
            relay.awaitMessagesIn(4);
            kept.close();
        }
    }

    /** What they have published stays. */
    private static void dropped(RelayServer relay) {
        for (LocalPublisher local :
                List.of(relay.newLocalPublisher(), relay.newLocalPublisher(), relay.newLocalPublisher())) {
            assertThat(local.publish(1, ByteBuffer.allocate(10))).isEqualTo(PublishOutcome.ACCEPTED);
        }
    }

    @Test
    void aCoreThatHangsFallsSilent() throws Exception {
        CountDownLatch hang = new CountDownLatch(1);
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP);
                PlainSubscriber subscriber = relay.subscriber()) {
            assertThat(subscriber.end()).isNull();
            assertThat(relay.relay().live()).isTrue();
            RelayEngine engine = relay.relay().engine();
            engine.services().table().live().iterator().next().execute(() -> {
                try {
                    hang.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Await.until("silence", () -> engine.silentMillis() > 1000);
            assertThat(relay.stats().get(Counter.MESSAGES_IN))
                    .as("reports go on")
                    .isZero();
            hang.countDown();
            Await.until("life", () -> engine.silentMillis() < 500);
        } finally {
            hang.countDown();
        }
    }
}

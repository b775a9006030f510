package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.SlowSubscriberPolicy;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.loop.RelayLoop;
import dev.msgrelay.server.transport.Transport;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log runs ahead of its slowest backpressure subscriber by a window, and no further. */
class BackpressureGateTest {
    private static final int WINDOW = 1000;

    private final RelayLoop loop = new RelayLoop("gate-test", Transport.NIO.ioHandler());
    private final BackpressureGate gate = new BackpressureGate(WINDOW, loop);
    private final PacketLog log = new PacketLog(UnpooledByteBufAllocator.DEFAULT, 8192, 1024, 300, gate);
    private final SubscriberGroup group = new SubscriberGroup(log, loop);

    /** What the writer's loop does once, when asked to. */
    private volatile Runnable writes;

    BackpressureGateTest() {
        loop.start(new RelayLoop.Work() {
            @Override
            public boolean run() {
                Runnable now = writes;
                if (now != null) {
                    writes = null;
                    now.run();
                }
                return false;
            }

            @Override
            public boolean pending() {
                return false;
            }
        });
    }

    @AfterEach
    void close() throws InterruptedException {
        log.close();
        assertThat(loop.stop(1000)).isTrue();
    }

    private EmbeddedChannel subscriber(SlowSubscriberPolicy policy) {
        SessionContext context = new SessionContext(
                log,
                8192,
                gate,
                1_000_000_000L,
                new RelayIdentity(1, "relay", 1024),
                RelayConfig.builder().slowSubscriber(policy).build().clients(),
                new Connections());
        return new EmbeddedChannel(new SubscriberSession(context, group));
    }

    private void append(int bytes) {
        ByteBuffer frame = new Frames().frame(1, bytes - 8).nativeBuffer();
        log.append(frame, 0, bytes, 1);
        log.publish();
    }

    @Test
    void withoutSuchSubscribersNothingIsHeldBack() {
        assertThat(gate.allows(1L << 40)).isTrue();
        EmbeddedChannel other = subscriber(SlowSubscriberPolicy.DISCONNECT);
        assertThat(gate.allows(1L << 50)).isTrue();
        assertThat(gate.blocked()).isFalse();
        other.close();
    }

    @Test
    void theWindowCountsFromTheSlowest() {
        append(500);
        EmbeddedChannel slow = subscriber(SlowSubscriberPolicy.BACKPRESSURE);
        append(300);
        EmbeddedChannel fast = subscriber(SlowSubscriberPolicy.BACKPRESSURE);
        assertThat(gate.allows(500 + WINDOW)).isTrue();
        assertThat(gate.allows(500 + WINDOW + 1)).isFalse();
        assertThat(gate.blocked()).isTrue();
        assertThat(gate.stillRefuses()).isTrue();
        assertThat(gate.blockedSinceNanos()).isLessThanOrEqualTo(System.nanoTime());

        // The slowest leaves: from then on the next one counts.
        slow.close();
        assertThat(gate.stillRefuses())
                .as("the writer does not get up for a little room")
                .isTrue();
        assertThat(gate.allows(800 + WINDOW)).isTrue();
        assertThat(gate.stillRefuses()).isFalse();
        assertThat(gate.blocked()).isFalse();
        assertThat(gate.allows(800 + WINDOW + 1)).isFalse();
        fast.close();
        assertThat(gate.allows(1L << 40)).isTrue();
        assertThat(gate.blocked()).isFalse();
    }

    @Test
    void oneThatJoinsLaterCountsAtOnce() {
        assertThat(gate.allows(1L << 40)).isTrue();
        EmbeddedChannel subscriber = subscriber(SlowSubscriberPolicy.BACKPRESSURE);
        assertThat(gate.allows(WINDOW + 1)).isFalse();
        subscriber.close();
        assertThat(gate.allows(WINDOW + 1)).isTrue();
    }

    @Test
    void whoGoesBackWaitsForWhatTheWriterWasAllowedBefore() throws InterruptedException {
        CountDownLatch allowed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean appended = new AtomicBoolean();
        AtomicBoolean appendedBefore = new AtomicBoolean();
        writes = () -> {
            allowed.countDown();
            awaitQuietly(end);
            appended.set(true);
        };
        loop.io().execute(() -> {});
        assertThat(allowed.await(10, TimeUnit.SECONDS)).isTrue();
        Thread member = new Thread(() -> {
            gate.memberMovedBack();
            appendedBefore.set(appended.get());
        });
        member.start();
        while (member.getState() != Thread.State.TIMED_WAITING && member.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        end.countDown();
        member.join(10_000);
        assertThat(appendedBefore).isTrue();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whoWaitsGoesOnWhenHalfOfTheWindowIsFree() {
        EmbeddedChannel subscriber = subscriber(SlowSubscriberPolicy.BACKPRESSURE);
        assertThat(gate.halfOpen(WINDOW / 2)).isTrue();
        assertThat(gate.halfOpen(WINDOW / 2 + 1)).isFalse();
        subscriber.close();
    }
}

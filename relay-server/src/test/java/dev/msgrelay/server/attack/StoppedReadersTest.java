package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.ops.Counter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Subscribers that read for a while and then no more: what they keep from the log, or hold up, has a limit. */
class StoppedReadersTest {
    private static final int STOPPED = 200;
    /** Over Unix sockets: what the system takes for a reader that does not read, and some more. */
    private static final int FULL_SOCKET = 400_000;

    private static final int PINS = 2 << 20;
    private static final long STALL_MILLIS = 1500;

    /** Each keeps another chunk, of a log that has eight. */
    @Test
    void skippingOnesAtDifferentPlaces() throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.startSmall(
                        b -> b.slowSubscriber(Policy.SKIP).pinBytes(PINS));
                HealthyPair pair = AttackRelay.pair(relay);
                WatchedReader watched = new WatchedReader();
                Crowd stopped = new Crowd()) {
            pair.begin();
            long chunksAside = 0;
            for (int i = 0; i < 100; i++) {
                int before = relay.stats().subscribers();
                if (i % 25 == 0) {
                    watched.add(PlainSubscriber.connectPaused(relay.subscribe(), 0));
                } else {
                    stopped.connect(relay.subscribe());
                }
                Await.until(
                        "it is accepted",
                        () -> relay.stats().subscribers() != before || relay.closed(CloseReason.MEMORY_LIMIT) > 0);
                pair.push(StreamConfig.CHUNK_BYTES + i * 100);
                chunksAside = Math.max(chunksAside, relay.stats().get(Counter.CHUNKS_ASIDE));
            }
            pair.end("100 stopped readers with skip");
            memory.assertWithinBudget(relay);
            AttackRelay.assertNoFault(relay);
            long most = relay.relay().memory().of(Part.PINS)
                    + relay.relay().memory().of(Part.WRITER);
            assertThat(chunksAside).as("chunks aside at most").isBetween(1L, most / StreamConfig.CHUNK_BYTES);
            assertThat(relay.closed(CloseReason.MEMORY_LIMIT)).isPositive();
            watched.assertWholeFrames();
            pair.finish();
        }
    }

    /** 200 that stop at once, whatever they have asked for. */
    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(value = Policy.class, mode = EnumSource.Mode.EXCLUDE, names = "RELAY_DEFAULT")
    void ofEveryPolicy(Policy policy, @TempDir Path directory) throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.startSmall(b -> b.slowSubscriber(policy)
                        .pinBytes(PINS)
                        .stallTimeout(Duration.ofMillis(STALL_MILLIS))
                        .journal(policy == Policy.REPLAY ? directory : null));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd stopped = new Crowd()) {
            byte[] hello =
                    HelloFrame.subscriber().policy(policy).build().encode().array();
            pair.begin();
            stopped.connect(relay.subscribe(), STOPPED);
            assertThat(stopped.offer(hello)).isEqualTo(STOPPED);
            relay.awaitSubscribers(STOPPED + 1);
            // Whoever holds publishers back does so for the stall timeout, and then no more.
            for (int i = 0; i < 4; i++) {
                pair.push(3L * AttackRelay.SMALL_LOG / 4 + FULL_SOCKET);
            }
            pair.end("200 stopped readers with " + policy.flag());
            memory.assertWithinBudget(relay);
            AttackRelay.assertNoFault(relay);
            switch (policy) {
                case DISCONNECT -> relay.awaitClosed(CloseReason.SLOW_SUBSCRIBER, STOPPED);
                case BACKPRESSURE -> relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, STOPPED);
                case SKIP, REPLAY ->
                    Await.until(
                            () -> "each is there or closed: " + relay.stats(),
                            () -> relay.stats().subscribers() - 1 + relay.closed(CloseReason.MEMORY_LIMIT) == STOPPED);
            }
            pair.finish();
        }
    }

    /** Some of the stopped ones, whose bytes are looked at afterwards. */
    private static final class WatchedReader implements AutoCloseable {
        private final List<PlainSubscriber> subscribers = new ArrayList<>();

        void add(PlainSubscriber subscriber) {
            subscribers.add(subscriber);
        }

        /** Whether cut off or not: what comes out of their sockets is of the stream, in its order. */
        void assertWholeFrames() {
            for (PlainSubscriber subscriber : subscribers) {
                subscriber.resume();
            }
            for (PlainSubscriber subscriber : subscribers) {
                subscriber.awaitMessages(1);
                subscriber.received().assertOrderOnly();
            }
        }

        @Override
        public void close() throws IOException {
            for (PlainSubscriber subscriber : subscribers) {
                subscriber.close();
            }
        }
    }
}

package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.testing.ThisMachine;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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

    private static final int READERS = 1000;
    private static final int SUBSCRIBES = 16;
    private static final int RANGES = 1024;
    private static final int PINS = 2 << 20;
    private static final long STALL_MILLIS = 1500;

    private final List<PlainSubscriber> watched = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (PlainSubscriber subscriber : watched) {
            subscriber.close();
        }
    }

    /** Each keeps another chunk, of a log that has eight. */
    @Test
    void skippingOnesAtDifferentPlaces() throws Exception {
        try (Attack attack = new Attack(
                b -> Attack.small(b).set(SLOW_SUBSCRIBER, Policy.SKIP).set(PIN_SIZE, PINS))) {
            TestRelay relay = attack.relay;
            attack.pair.begin();
            long chunksAside = 0;
            for (int i = 0; i < 100; i++) {
                int before = relay.stats().subscribers();
                if (i % 25 == 0) {
                    watched.add(PlainSubscriber.connectPaused(relay.subscribe(), 0));
                } else {
                    attack.crowd.connect(relay.subscribe());
                }
                Await.until(
                        "it is accepted",
                        () -> relay.stats().subscribers() != before || relay.closed(CloseReason.MEMORY_LIMIT) > 0);
                attack.pair.push(StreamConfig.CHUNK_BYTES + i * 100);
                chunksAside = Math.max(chunksAside, relay.stats().get(Counter.CHUNKS_ASIDE));
            }
            attack.endWithinBudget("100 stopped readers with skip");
            long most = relay.relay().memory().of(Part.PINS)
                    + relay.relay().memory().of(Part.WRITER);
            assertThat(chunksAside).as("chunks aside at most").isBetween(1L, most / StreamConfig.CHUNK_BYTES);
            assertThat(relay.closed(CloseReason.MEMORY_LIMIT)).isPositive();
            // Whether cut off or not: what comes out of their sockets is of the stream, in its order.
            watched.forEach(PlainSubscriber::resume);
            watched.forEach(subscriber -> subscriber.awaitMessages(1).received().assertOrderOnly());
            attack.pair.finish();
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(value = Policy.class, mode = EnumSource.Mode.EXCLUDE, names = "RELAY_DEFAULT")
    void ofEveryPolicy(Policy policy, @TempDir Path directory) throws Exception {
        // A policy that only those get who ask for it.
        Policy others = policy == Policy.LATEST ? Policy.DISCONNECT : policy;
        try (Attack attack = new Attack(b -> Attack.small(b)
                .set(SLOW_SUBSCRIBER, others)
                .set(STATE, policy == Policy.LATEST ? 1 << 20 : null)
                .set(PIN_SIZE, PINS)
                .set(STALL_TIMEOUT, Duration.ofMillis(STALL_MILLIS))
                .set(JOURNAL, policy == Policy.REPLAY ? directory : null))) {
            TestRelay relay = attack.relay;
            byte[] hello =
                    HelloFrame.subscriber().policy(policy).build().encode().array();
            attack.pair.begin();
            attack.crowd.connect(relay.subscribe(), STOPPED);
            assertThat(attack.crowd.offer(hello)).isEqualTo(STOPPED);
            relay.awaitSubscribers(STOPPED + 1);
            // Whoever holds publishers back does so for the stall timeout, and then no more.
            for (int i = 0; i < 4; i++) {
                attack.pair.push(3L * Attack.SMALL_LOG / 4 + FULL_SOCKET);
            }
            attack.endWithinBudget("200 stopped readers with " + policy.flag());
            switch (policy) {
                case DISCONNECT -> relay.awaitClosed(CloseReason.SLOW_SUBSCRIBER, STOPPED);
                case BACKPRESSURE -> relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, STOPPED);
                case SKIP, REPLAY, LATEST ->
                    Await.until(
                            () -> "each is there or closed: " + relay.stats(),
                            () -> relay.stats().subscribers()
                                            - 1
                                            + relay.closed(CloseReason.MEMORY_LIMIT)
                                            + relay.closed(CloseReason.STALLED_SUBSCRIBER)
                                    == STOPPED);
            }
            attack.pair.finish();
        }
    }

    // ---- those that say much -------------------------------------------------------------------------------------

    @Test
    void theHeapIsNotTheirs() throws Exception {
        int count = connections(READERS);
        byte[] hello = HelloFrame.subscriber().build().encode().array();
        byte[] subscribes = subscribes();
        try (Attack attack = new Attack(b -> b.set(SLOW_SUBSCRIBER, Policy.SKIP))) {
            TestRelay relay = attack.relay;
            Crowd readers = attack.crowd;
            readers.connect(relay.subscribe(), count);
            assertThat(readers.offer(hello)).isEqualTo(count);
            relay.awaitSubscribers(count + 1);
            // Up to here they are subscribers like others, if many.
            attack.pair.push(FULL_SOCKET, 1000);
            attack.pair.begin();
            List<ByteBuffer> left = Stream.generate(() -> ByteBuffer.wrap(subscribes))
                    .limit(count)
                    .toList();
            Await.until(() -> "they have said it all: " + relay.stats(), () -> {
                boolean all = true;
                for (int i = 0; i < count; i++) {
                    all &= Crowd.offer(readers.get(i), left.get(i));
                }
                return all;
            });
            attack.endWithinBudget(count + " readers with 16 SUBSCRIBEs each");
            attack.memory.assertHeapWithinBudget(relay);
            // Ranges that others have taken the place of are not kept, so nobody has to be cut off for them.
            assertThat(relay.closed(CloseReason.MEMORY_LIMIT)).isZero();
            attack.pair.finish();
        }
    }

    private static byte[] subscribes() {
        int[] ranges = IntStream.range(0, 2 * RANGES).map(i -> 10 * i).toArray();
        Frames frames = new Frames();
        for (int i = 1; i <= SUBSCRIBES; i++) {
            frames.raw(new SubscribeFrame(i, TypeRanges.of(ranges)).encode().array());
        }
        return frames.bytes();
    }

    // ---- those that want some types ------------------------------------------------------------------------------

    @Test
    void whoStopsTakesNothingFromOthers() throws Exception {
        stop(400);
    }

    /** Until all of their sockets are full they are sent more than a gigabyte. */
    @Tag("thorough")
    @Test
    void thousandsOfThem() throws Exception {
        stop(4000);
    }

    /**
     * Each has a write under way that was copied for it. Against a process, since Netty's leak detector, as paranoid as
     * tests have it, makes a filter a hundred times slower.
     */
    private static void stop(int most) throws Exception {
        int count = connections(most);
        ByteBuffer hello =
                HelloFrame.subscriber().types(HealthyPair.pushedTypes()).build().encode();
        try (RelayProcess relay = RelayProcess.start(":", "--json", "--max-connections=5000", "--idle-timeout=30m");
                Crowd stopped = new Crowd()) {
            for (int i = 0; i < count; i++) {
                Crowd.offer(stopped.connect(relay.subscribe()), hello.duplicate());
            }
            Await.until(() -> "all are there: " + relay.said(), () -> relay.stat("subscribers") == count);
            // One that wants the same and reads is none of them.
            try (HealthyPair pair = relay.pair();
                    PlainSubscriber reading =
                            PlainSubscriber.connect(relay.subscribe()).hello(hello.duplicate())) {
                Await.until(() -> "one that reads: " + relay.said(), () -> relay.stat("subscribers") == count + 2);
                pair.begin();
                for (int i = 0; i < 12; i++) {
                    pair.push(1 << 20, 1000);
                    // So that it is not cut off for what only this machine has kept it from.
                    Await.until(
                            () -> "all that it wants, ended: " + reading.end(),
                            () -> reading.received().countOf(HealthyPair.PUSHED) == pair.pushed()
                                    || reading.end() != null);
                }
                pair.end(count + " filtered subscribers that do not read");
                assertThat(reading.end()).as("%s", relay.said()).isNull();
                reading.received().assertOrderOnly();
                assertThat(relay.stat("INTERNAL_ERROR")).isZero();
                assertThat(relay.said()).doesNotContain("OutOfMemory");
                pair.finish();
            }
        }
    }

    /** So many, if this process can hold both ends; with fewer a test would show something else, so it is skipped. */
    private static int connections(int wanted) {
        ThisMachine.needFiles(2 * wanted);
        return wanted;
    }
}

package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainSubscriber;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hundreds or thousands of subscribers that want some types and do not read: each has a write under way that was copied for it. Against
 * a process, since Netty's leak detector, as paranoid as tests have it, makes a filter a hundred times slower.
 */
class FilteredReadersTest {
    private static final int HUNDREDS = 400;
    private static final int THOUSANDS = 4000;

    @Test
    void whoStopsTakesNothingFromOthers() throws Exception {
        stop(HUNDREDS);
    }

    /** Until all of their sockets are full they are sent more than a gigabyte. */
    @Tag("thorough")
    @Test
    void thousandsOfThem() throws Exception {
        stop(THOUSANDS);
    }

    private static void stop(int most) throws Exception {
        int count = Descriptors.connections(most);
        ByteBuffer hello =
                HelloFrame.subscriber().types(HealthyPair.pushedTypes()).build().encode();
        try (RelayProcess relay = RelayProcess.start(":", "--json", "--max-connections=5000", "--idle-timeout=60s");
                Crowd stopped = new Crowd()) {
            for (int i = 0; i < count; i++) {
                Crowd.offer(stopped.connect(relay.subscribe()), hello.duplicate());
            }
            Await.until(() -> "all are there: " + relay.said(), () -> relay.stat("subscribers") == count);
            attack(relay, hello, count);
        }
    }

    private static void attack(RelayProcess relay, ByteBuffer hello, int count) throws Exception {
        try (HealthyPair pair = relay.pair();
                PlainSubscriber reading = PlainSubscriber.connect(relay.subscribe())) {
            reading.hello(hello.duplicate());
            Await.until(() -> "one that reads: " + relay.said(), () -> relay.stat("subscribers") == count + 2);
            pair.begin();
            for (int i = 0; i < 12; i++) {
                pair.push(1 << 20, 1000);
                awaitAll(reading, pair);
            }
            pair.end(count + " filtered subscribers that do not read");
            // One that wants the same and reads is none of them.
            assertThat(reading.end())
                    .as("the end of one that reads: %s", relay.said())
                    .isNull();
            reading.received().assertOrderOnly();
            assertThat(relay.stat("INTERNAL_ERROR"))
                    .as("faults of the relay itself")
                    .isZero();
            assertThat(relay.said()).doesNotContain("OutOfMemory");
            pair.finish();
        }
    }

    /** So that it is not cut off for what only this machine has kept it from. */
    private static void awaitAll(PlainSubscriber reading, HealthyPair pair) {
        Await.until(
                () -> "all that it wants: " + reading.received().countOf(HealthyPair.PUSHED) + " of " + pair.pushed()
                        + ", ended: " + reading.end(),
                () -> reading.received().countOf(HealthyPair.PUSHED) == pair.pushed() || reading.end() != null);
    }
}

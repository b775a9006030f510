package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import org.junit.jupiter.api.Test;

/** The pair that every attack is held against: content on a calm relay, and not on one that fails it. */
class HealthyPairTest {
    @Test
    void onACalmRelay() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            pair.push(32 << 20);
            pair.end("nothing at all");
            pair.finish();
            assertThat(relay.stats().closes()).isEmpty();
            assertThat(relay.stats().get(Counter.BYTES_IN)).isGreaterThan(32 << 20);
        }
    }

    @Test
    void noticesWhenMessagesComeTooLate() throws Exception {
        // Somebody who does not read may hold publishers back for longer than the pair looks.
        try (TestRelay relay = AttackRelay.startSmall(b -> b.slowSubscriber(Policy.BACKPRESSURE));
                HealthyPair pair = AttackRelay.pair(relay);
                PlainPublisher flood = relay.publisher();
                Crowd stopped = new Crowd()) {
            stopped.connect(relay.subscribe());
            relay.awaitSubscribers(2);
            pair.begin();
            Frames frames = new Frames();
            for (int i = 0; i < 30; i++) {
                frames.frame(Frames.type(HealthyPair.FIRST_OTHER, i), 50_000);
            }
            flood.send(frames);
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> pair.end("a relay that waits"))
                    .withMessageContaining("a relay that waits: share of");
        }
    }

    @Test
    void noticesItsEnd() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            relay.relay().close();
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> pair.end("a relay that has gone"));
        }
    }

    @Test
    void noticesAMessageThatCameTwice() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay);
                PlainPublisher forger = relay.publisher()) {
            forger.send(new Frames().frame(Frames.type(HealthyPair.PUSHED, 0), 100));
            pair.push(100_000);
            assertThatExceptionOfType(AssertionError.class).isThrownBy(pair::finish);
        }
    }
}

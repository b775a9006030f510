package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.ops.Counter;
import org.junit.jupiter.api.Test;

/** The pair that every attack is held against: content with a calm relay, and not with one that fails it. */
class HealthyPairTest {
    @Test
    void onACalmRelay() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            pair.push(8 << 20);
            pair.end("nothing at all");
            pair.finish();
            assertThat(relay.stats().closes()).isEmpty();
            assertThat(relay.stats().get(Counter.BYTES_IN)).isGreaterThan(8 << 20);
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

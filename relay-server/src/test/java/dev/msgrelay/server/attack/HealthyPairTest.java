package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import org.junit.jupiter.api.Test;

/** The pair that every attack is held against: not content with a relay that fails it. */
class HealthyPairTest {
    @Test
    void noticesItsEnd() throws Exception {
        try (Attack attack = new Attack(b -> b)) {
            attack.pair.begin();
            attack.relay.relay().close();
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> attack.pair.end("a relay that has gone"));
        }
    }

    @Test
    void noticesAMessageThatCameTwice() throws Exception {
        try (Attack attack = new Attack(b -> b);
                PlainPublisher forger = attack.relay.publisher()) {
            forger.send(new Frames().frame(Frames.type(HealthyPair.PUSHED, 0), 100));
            attack.pair.push(100_000);
            assertThatExceptionOfType(AssertionError.class).isThrownBy(attack.pair::finish);
        }
    }
}

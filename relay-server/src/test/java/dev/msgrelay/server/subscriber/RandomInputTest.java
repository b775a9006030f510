package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.MalformedInputs;
import dev.msgrelay.server.harness.MalformedInputs.End;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a subscriber sends, the relay answers with whole frames, ends the connection once, with ERROR as the last
 * frame if with any, and goes on as if nothing had been.
 */
class RandomInputTest {
    private static final int CASES = 100;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void mutatedAndRandom(Setting setting) throws Exception {
        Random random = Seeds.random("RandomInputTest " + setting);
        MalformedInputs inputs = new MalformedInputs(random);
        try (TestRelay relay = TestRelay.start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            int errors = 0;
            for (int i = 0; i < CASES; i++) {
                byte[] input = inputs.toSubscribePort();
                try (PlainPublisher raw = PlainPublisher.connect(relay.subscribe())) {
                    raw.send(ByteBuffer.wrap(input)).halfClose();
                    errors += MalformedInputs.endOf(raw.readToEnd(), i) == End.ERROR ? 1 : 0;
                }
                long ended = i + 1;
                Await.until(
                        () -> ended + " closed: " + relay.stats(),
                        () -> relay.stats().closes().values().stream()
                                        .mapToLong(Long::longValue)
                                        .sum()
                                == ended);
            }
            // Otherwise it would not have been looked at what is done with them.
            assertThat(errors).isBetween(CASES / 10, CASES - 1);
            neighbours.assertUnaffected();
            relay.awaitSubscribers(1);
        }
    }
}

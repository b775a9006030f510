package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.log.Mark;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A loop looks at the head, loses its core, and meanwhile another one writes more than the log holds. */
class OldHeadTest {
    private static final int BODY = 300;
    private static final int STRIDE = 1 << 16;
    private static final int MOST_SENDS = 1_000;

    private final FanoutRig rig = new FanoutRig();

    @AfterEach
    void close() {
        rig.close();
    }

    static Stream<HelloFrame.Builder> starts() {
        return Stream.of(
                HelloFrame.subscriber(),
                HelloFrame.subscriber().fromEarliest(),
                HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 3));
    }

    @ParameterizedTest
    @MethodSource("starts")
    void aSubscriberThatSaysHelloStartsWhereTheLogStandsNow(HelloFrame.Builder hello) {
        rig.publishMany(10, BODY);
        FanoutRig.Subscriber subscriber = rig.connect();
        Mark old = rig.head();
        subscriber.hello(hello);
        rig.publishMany(4 * FanoutRig.LOG / BODY, BODY);
        int sends = 0;
        while (subscriber.connection.send(old, STRIDE, 1, true)) {
            assertThat(++sends).isLessThan(MOST_SENDS);
        }
        assertThat(rig.closes()).isEmpty();
        assertThat(subscriber.connection.position()).isEqualTo(rig.log.head().position());
    }
}

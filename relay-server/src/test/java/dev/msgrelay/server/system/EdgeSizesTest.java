package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bodies of every size at which something in the relay changes: empty, a packet, a read, the limit. */
class EdgeSizesTest {
    private static final int MAX_BODY = 1 << 20;
    private static final int PACKET = 1460;
    private static final int[] SIZES = {
        0,
        1,
        2,
        7,
        8,
        51,
        52,
        53,
        PACKET - 9,
        PACKET - 8,
        PACKET - 7,
        2 * PACKET,
        (64 << 10) - 9,
        (64 << 10) - 8,
        (64 << 10) - 7,
        (64 << 10) - 1,
        64 << 10,
        (64 << 10) + 1,
        (256 << 10) - 9,
        (256 << 10) - 8,
        (256 << 10) - 7,
        (256 << 10) - 1,
        256 << 10,
        (256 << 10) + 1,
        (512 << 10) - 1,
        (512 << 10) + 1,
        MAX_BODY - 1,
        MAX_BODY,
    };

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void throughASocket(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher publisher = relay.publisher()) {
            // Each size alone, and again between small ones; the first pass one by one, so that each ends a read.
            int number = 0;
            for (int size : SIZES) {
                publisher.send(new Frames().frame(Frames.type(0, number++), size));
                subscriber.awaitMessages(number);
            }
            for (int size : SIZES) {
                Frames frames = new Frames().frame(Frames.type(0, number++), 3);
                frames.frame(Frames.type(0, number++), size).frame(Frames.type(0, number++), 100);
                publisher.send(frames);
            }
            check(subscriber, number);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void fromThisProcess(Setting setting) throws Exception {
        // It is sent faster than a subscriber without a core reads.
        try (TestRelay relay = TestRelay.start(setting, b -> b.slowSubscriber(Policy.BACKPRESSURE));
                PlainSubscriber subscriber = relay.subscriber()) {
            LocalPublisher publisher = relay.relay().newLocalPublisher();
            long wait = Await.LIMIT_NANOS;
            int number = 0;
            for (int size : SIZES) {
                ByteBuffer body =
                        new Frames().frame(Frames.type(0, number), size).buffer();
                assertThat(publisher.publish(Frames.type(0, number), body.position(8), wait))
                        .as("body of %d bytes", size)
                        .isEqualTo(PublishOutcome.ACCEPTED);
                number++;
            }
            for (int size : SIZES) {
                if (size + 8 <= publisher.maxRun()) {
                    ByteBuffer run =
                            new Frames().frame(Frames.type(0, number), size).buffer();
                    assertThat(publisher.publishRun(run, wait)).isEqualTo(PublishOutcome.ACCEPTED);
                    number++;
                }
            }
            check(subscriber, number);
        }
    }

    private static void check(PlainSubscriber subscriber, int count) {
        subscriber.awaitMessages(count);
        subscriber.received().assertAllOf(count);
        int[] lengths = subscriber.received().lengths();
        for (int i = 0; i < SIZES.length; i++) {
            assertThat(lengths[i]).isEqualTo(SIZES[i]);
        }
    }
}

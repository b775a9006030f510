package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several plain publishers, several plain subscribers: everyone gets everything, byte for byte, in one and the same
 * order, which keeps the order of each publisher.
 */
class TotalOrderTest {
    private static final int PUBLISHERS = 3;
    private static final int SUBSCRIBERS = 3;
    private static final int MESSAGES = 4_000;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void everyoneGetsEverythingInOneOrder(Setting setting) throws Exception {
        Random seeds = Seeds.random("TotalOrderTest " + setting);
        try (TestRelay relay =
                TestRelay.start(setting, b -> b.slowSubscriber(dev.msgrelay.protocol.Policy.BACKPRESSURE))) {
            List<PlainSubscriber> subscribers = new ArrayList<>();
            for (int s = 0; s < SUBSCRIBERS; s++) {
                subscribers.add(relay.subscriber());
            }
            Workers publishers = new Workers();
            for (int p = 0; p < PUBLISHERS; p++) {
                int publisher = p;
                Random random = new Random(seeds.nextLong());
                publishers.start("publisher-" + p, () -> publish(relay, publisher, random));
            }
            publishers.join();
            int[] order = null;
            for (PlainSubscriber subscriber : subscribers) {
                subscriber.awaitMessages(PUBLISHERS * MESSAGES);
                subscriber.received().assertAllOf(MESSAGES, MESSAGES, MESSAGES);
                order = order == null ? subscriber.received().types() : order;
                assertThat(subscriber.received().types()).isEqualTo(order);
                subscriber.close();
            }
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(PUBLISHERS * MESSAGES);
        }
    }

    /** Bursts of random sizes: mostly small messages, now and then a large one, written in pieces of any length. */
    private static void publish(TestRelay relay, int publisher, Random random) throws Exception {
        try (PlainPublisher connection = relay.publisher()) {
            int number = 0;
            while (number < MESSAGES) {
                Frames burst = new Frames();
                int count = Math.min(MESSAGES - number, 1 + random.nextInt(400));
                for (int i = 0; i < count; i++) {
                    int body = random.nextInt(500) == 0 ? random.nextInt(300_000) : random.nextInt(200);
                    burst.frame(Frames.type(publisher, number++), body);
                }
                byte[] bytes = burst.bytes();
                int at = 0;
                while (at < bytes.length) {
                    int piece = Math.min(bytes.length - at, 1 + random.nextInt(100_000));
                    connection.send(java.nio.ByteBuffer.wrap(bytes, at, piece));
                    at += piece;
                }
            }
        }
    }
}

package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads of this process publish single messages and runs, next to a publisher on a socket. */
class LocalPublishersTest {
    private static final int MESSAGES = 20_000;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void nothingIsLostAndEachKeepsItsOrder(Setting setting) throws Exception {
        Random seeds = Seeds.random("LocalPublishersTest " + setting);
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber first = relay.subscriber();
                PlainSubscriber second = relay.subscriber();
                PlainPublisher socket = relay.publisher()) {
            Workers workers = new Workers();
            for (int p = 0; p < 4; p++) {
                int publisher = p;
                LocalPublisher local = relay.relay().newLocalPublisher();
                Random random = new Random(seeds.nextLong());
                workers.start("local-" + p, () -> {
                    if (publisher % 2 == 0) {
                        publishSingly(local, publisher, random);
                    } else {
                        publishRuns(local, publisher, random);
                    }
                });
            }
            Stream ofSocket = new Stream(4, 300, new Random(seeds.nextLong()));
            workers.start("socket", () -> {
                while (ofSocket.count() < MESSAGES) {
                    socket.send(ofSocket.next(20_000));
                }
            });
            workers.join();
            for (PlainSubscriber subscriber : List.of(first, second)) {
                subscriber
                        .awaitMessages(4 * MESSAGES + ofSocket.count())
                        .received()
                        .assertAllOf(MESSAGES, MESSAGES, MESSAGES, MESSAGES, ofSocket.count());
            }
            assertThat(second.received().types()).isEqualTo(first.received().types());
        }
    }

    private static void publishSingly(LocalPublisher local, int publisher, Random random) {
        for (int number = 0; number < MESSAGES; number++) {
            int type = Frames.type(publisher, number);
            // In both byte orders, on the heap and off it, and not from the start of the buffer.
            ByteBuffer body = random.nextBoolean()
                    ? new Frames().frame(type, size(random)).nativeBuffer().position(8)
                    : new Frames().frame(type, size(random)).buffer().position(8);
            int at = body.position();
            assertThat(local.publish(type, body, Await.LIMIT_NANOS)).isEqualTo(PublishOutcome.ACCEPTED);
            assertThat(body.position()).isEqualTo(at);
        }
    }

    private static void publishRuns(LocalPublisher local, int publisher, Random random) {
        int number = 0;
        while (number < MESSAGES) {
            Frames run = new Frames();
            int count = Math.min(MESSAGES - number, 1 + random.nextInt(30));
            for (int i = 0; i < count; i++) {
                run.frame(Frames.type(publisher, number++), size(random));
            }
            ByteBuffer bytes = random.nextBoolean() ? run.nativeBuffer() : run.buffer();
            assertThat(local.publishRun(bytes, Await.LIMIT_NANOS)).isEqualTo(PublishOutcome.ACCEPTED);
            assertThat(bytes.remaining()).isEqualTo(run.size());
        }
    }

    private static int size(Random random) {
        return random.nextInt(300) == 0 ? random.nextInt(30_000) : random.nextInt(150);
    }

    @Test
    void misuseIsRefusedAndNothingIsPublished() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(MAX_BODY, 1000))) {
            LocalPublisher local = relay.relay().newLocalPublisher();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> local.publish(0x80000005, ByteBuffer.allocate(1)))
                    .withMessageContaining("0x80000005");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> local.publish(1, ByteBuffer.allocate(1001)))
                    .withMessageContaining("1001")
                    .withMessageContaining("0..1000");
            for (Frames wrong : new Frames[] {
                new Frames().frame(1, 10).header(2, 10),
                new Frames().frame(1, 10).raw((byte) 0),
                new Frames().frame(1, 10).header(2, -1),
                new Frames().frame(1, 10).frame(2, 1001),
                new Frames().frame(1, 10).frame(0x800000FF, 10)
            }) {
                assertThatIllegalArgumentException().isThrownBy(() -> local.publishRun(wrong.buffer()));
                assertThatIllegalArgumentException().isThrownBy(() -> local.publishRun(wrong.nativeBuffer()));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> local.publishRun(ByteBuffer.allocate(local.maxRun() + 1)))
                    .withMessageContaining("limit of " + local.maxRun());
            assertThat(local.publishRun(ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN)))
                    .isEqualTo(PublishOutcome.ACCEPTED);
            assertThat(local.publish(1, ByteBuffer.allocate(0))).isEqualTo(PublishOutcome.ACCEPTED);
            relay.awaitMessagesIn(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
        }
    }

    /** Also for nothing: a caller that publishes what there is, however much that is, learns that it has to end. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterTheEndEverythingIsRefused(boolean ofTheRelay) throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            LocalPublisher local = relay.relay().newLocalPublisher();
            if (ofTheRelay) {
                relay.relay().close();
            } else {
                local.close();
            }
            ByteBuffer frame = new Frames().frame(1, 10).buffer();
            ByteBuffer nothing = ByteBuffer.allocate(0);
            assertThat(local.publish(1, nothing)).isEqualTo(PublishOutcome.CLOSED);
            assertThat(local.publish(1, nothing, Await.LIMIT_NANOS)).isEqualTo(PublishOutcome.CLOSED);
            assertThat(local.publishRun(frame)).isEqualTo(PublishOutcome.CLOSED);
            assertThat(local.publishRun(nothing)).isEqualTo(PublishOutcome.CLOSED);
            assertThat(local.publishRun(nothing, Await.LIMIT_NANOS)).isEqualTo(PublishOutcome.CLOSED);
        }
    }

    @Test
    void aFullRingRefusesAndAWaitIsBounded() throws Exception {
        try (TestRelay relay = TestRelay.small(Setting.NIO_TCP, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber()) {
            LocalPublisher local = relay.relay().newLocalPublisher();
            int number = relay.fill(local, 20_000);
            assertThat(number).as("accepted before the ring was full").isBetween(50, 3999);
            long start = System.nanoTime();
            assertThat(TestRelay.publish(local, number, 20_000, 0)).isEqualTo(PublishOutcome.FULL);
            assertThat(TestRelay.publish(local, number, 20_000, Long.MIN_VALUE)).isEqualTo(PublishOutcome.FULL);
            Thread.currentThread().interrupt();
            assertThat(TestRelay.publish(local, number, 20_000, Long.MAX_VALUE)).isEqualTo(PublishOutcome.FULL);
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            assertThat(TestRelay.publish(local, number, 20_000, TimeUnit.MILLISECONDS.toNanos(20)))
                    .isEqualTo(PublishOutcome.FULL);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            subscriber.resume();
            assertThat(TestRelay.publish(local, number++, 20_000, Await.LIMIT_NANOS))
                    .isEqualTo(PublishOutcome.ACCEPTED);
            subscriber.awaitMessages(number).received().assertAllOf(number);
        }
    }
}

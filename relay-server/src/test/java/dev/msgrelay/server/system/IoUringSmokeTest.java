package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.Counter;
import io.netty.channel.uring.IoUring;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** io_uring, where the machine has it: messages of all sizes, and a subscriber that holds everyone up. To go; until then in CI alone. */
@Tag("thorough")
class IoUringSmokeTest {
    private static Stream sendUntilHeldBack(TestRelay relay, PlainPublisher publisher) throws Exception {
        Stream stream = new Stream(0, 2000);
        while (relay.stats().get(Counter.HELD_BACK) == 0) {
            publisher.send(stream.next(20_000));
            Await.until(
                    "taken in or held back",
                    () -> relay.stats().messagesIn() == stream.count()
                            || relay.stats().get(Counter.HELD_BACK) > 0);
        }
        return stream;
    }

    private static void onlyWhereItIsThere() {
        if (!IoUring.isAvailable()) {
            System.out.println("IoUringSmokeTest is skipped: " + IoUring.unavailabilityCause());
            Assumptions.abort("no io_uring here: " + IoUring.unavailabilityCause());
        }
    }

    @Test
    void whereItIsMissingThatIsSaid() {
        if (!IoUring.isAvailable()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(Transport.IO_URING::resolve)
                    .withMessageContaining("transport io_uring is not available here: ");
        }
    }

    @Test
    void messagesOfAllSizes() throws Exception {
        onlyWhereItIsThere();
        for (boolean unix : new boolean[] {false, true}) {
            try (TestRelay relay = TestRelay.start(new Setting(Transport.IO_URING, unix, 1));
                    PlainSubscriber subscriber = relay.subscriber();
                    PlainPublisher publisher = relay.publisher()) {
                int number = 0;
                for (int size : new int[] {0, 1, 1452, 1453, 65_528, 70_000, 300_000, 1 << 20}) {
                    publisher.send(new Frames().frame(Frames.type(0, number++), size));
                    publisher.send(new Frames().frame(Frames.type(0, number++), 10));
                }
                subscriber.awaitMessages(number).received().assertAllOf(number);
            }
        }
    }

    @Test
    void backpressure() throws Exception {
        onlyWhereItIsThere();
        try (TestRelay relay = TestRelay.small(new Setting(Transport.IO_URING, false, 1), Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber();
                PlainPublisher publisher = relay.publisher()) {
            Stream stream = sendUntilHeldBack(relay, publisher);
            publisher.halfClose();
            subscriber.resume();
            subscriber.awaitMessages(stream.count()).received().assertAllOf(stream.count());
        }
    }

    /**
     * Behind the end of its input Netty reads a held publisher although reading is switched off. Not with an empty Unix socket:
     * see {@link Transport#IO_URING}.
     */
    @ParameterizedTest(name = "unix {0}, {1} bytes wait in its socket")
    @CsvSource({"false, 100000", "true, 100000", "false, 0"})
    void aHeldPublisherThatEndsLosesNothing(boolean unix, int waiting) throws Exception {
        onlyWhereItIsThere();
        try (TestRelay relay = TestRelay.small(new Setting(Transport.IO_URING, unix, 1), Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.pausedSubscriber();
                PlainPublisher publisher = relay.publisher()) {
            Stream stream = sendUntilHeldBack(relay, publisher);
            // As much as its socket holds for certain.
            if (waiting > 0) {
                publisher.send(stream.next(waiting));
            }
            publisher.halfClose();
            assertThat(Await.staysTrue(300, () -> relay.stats().publishers() == 1))
                    .as("a publisher that waits: %s", relay.stats())
                    .isTrue();
            subscriber.resume();
            subscriber.awaitMessages(stream.count()).received().assertAllOf(stream.count());
            relay.awaitPublishers(0);
            relay.awaitClosed(CloseReason.PEER_CLOSED, 1);
        }
    }

    @Test
    void aPublisherIsAnsweredAndToldWhatIsWrong() throws Exception {
        onlyWhereItIsThere();
        try (TestRelay relay = TestRelay.start(new Setting(Transport.IO_URING, false, 1));
                TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 1))) {
            publisher.await(Hello.WELCOME);
            publisher.send(new Frames().frame(1, 10));
            assertThat(publisher.awaitAck(1).sequence()).isEqualTo(1);
            // A write is never done at once here: what is due is still to go out before the end.
            publisher.send(new Frames().frame(2, 10).header(3, -1));
            assertThat(publisher.awaitError().code()).isEqualTo(CloseReason.NEGATIVE_LENGTH.code());
        }
    }
}

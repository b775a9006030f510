package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Seeds;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * What is told to have been sent is what the socket got: of everything, of some, cut, with jumps; it never goes down.
 */
class SentCountsTest {
    @AutoClose
    private FanoutRig rig = new FanoutRig(Policy.SKIP);

    private static void assertSent(FanoutRig.Subscriber subscriber, long messages, long bytes) {
        SessionRole.Report row = subscriber.connection.report(0);
        assertThat(row.messages()).isEqualTo(messages);
        assertThat(row.bytes()).isEqualTo(bytes);
    }

    private static void assertTrue(FanoutRig.Subscriber subscriber) {
        assertSent(subscriber, subscriber.told().count(), subscriber.told().bytes());
    }

    @Test
    void everything() {
        rig.publishMany(7, 50);
        FanoutRig.Subscriber subscriber = rig.connect();
        assertThat(subscriber.connection.report(0).messages()).isZero();
        rig.publishMany(10, 42);
        rig.pump();
        assertSent(subscriber, 10, 500);
        assertThat(rig.sum(Counter.MESSAGES_OUT)).isEqualTo(10);
        assertThat(rig.sum(Counter.BYTES_OUT)).isEqualTo(500);
    }

    @Test
    void whileAWriteIsInFlightItIsNotCounted() {
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.block();
        rig.publishMany(10, 42);
        rig.pump();
        assertSent(subscriber, 0, 0);
        subscriber.unblock();
        assertSent(subscriber, 10, 500);
    }

    @Test
    void someTypesAreCountedAndTheOthersAreNot() {
        FanoutRig.Subscriber subscriber = rig.joined(HelloFrame.subscriber().types(TypeRanges.of(2, 4)));
        rig.publishMany(10, 42);
        rig.pump();
        assertSent(subscriber, 3, 150);
        assertTrue(subscriber);
    }

    @Test
    void whatIsSkippedIsNotSent() {
        FanoutRig.Subscriber subscriber = rig.joined(HelloFrame.subscriber().policy(Policy.SKIP));
        rig.publishMany(10, 42);
        rig.pump();
        // A socket that stands still, while more goes by than the log holds.
        subscriber.block();
        rig.publishMany(3, 42);
        rig.pump();
        rig.publishMany(2 * FanoutRig.LOG / 50, 42);
        subscriber.unblock();
        rig.pump();
        assertTrue(subscriber);
        long skipped = rig.sum(Counter.MESSAGES_SKIPPED);
        assertThat(skipped).isPositive();
        assertThat(subscriber.connection.report(0).messages() + skipped)
                .isEqualTo(rig.head().sequence() - 1);
        assertThat(subscriber.told().controls)
                .filteredOn(c -> c.type() == ControlFrames.GAP)
                .hasSize(1);
    }

    @Test
    void neverDownWhateverHappens() {
        Random random = Seeds.random("SentCountsTest");
        for (int round = 0; round < 10; round++) {
            run(random);
            rig.close();
            rig = new FanoutRig(Policy.SKIP);
        }
    }

    private void run(Random random) {
        FanoutRig.Subscriber subscriber = rig.connect();
        boolean speaks = random.nextBoolean();
        if (speaks) {
            subscriber.hello(HelloFrame.subscriber().policy(Policy.SKIP));
            rig.pump();
        }
        long messages = 0;
        long bytes = 0;
        boolean blocked = false;
        for (int step = 0; step < 300; step++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> rig.publishMany(1 + random.nextInt(10), random.nextInt(200));
                case 2 -> rig.publishMany(random.nextInt(step % 20 == 0 ? 400 : 20), random.nextInt(100));
                case 3 -> {
                    if (blocked) {
                        subscriber.unblock();
                    } else {
                        subscriber.block();
                    }
                    blocked = !blocked;
                }
                case 4 -> {
                    if (speaks) {
                        subscriber.say(new SubscribeFrame(
                                        step,
                                        random.nextBoolean() ? TypeRanges.ALL : TypeRanges.of(0, random.nextInt(9)))
                                .encode());
                    }
                }
                default -> {
                    // One write of whole segments, which cuts a frame.
                    subscriber.connection.send(rig.head(), 1, true);
                }
            }
            if (random.nextInt(3) == 0) {
                rig.pump();
            }
            SessionRole.Report row = subscriber.connection.report(0);
            assertThat(row.messages())
                    .as("to the packet only")
                    .isBetween(messages, subscriber.told().count());
            assertThat(row.bytes())
                    .isGreaterThanOrEqualTo(bytes)
                    .isEqualTo(subscriber.told().bytes());
            messages = row.messages();
            bytes = row.bytes();
        }
        if (blocked) {
            subscriber.unblock();
        }
        rig.pump();
        assertTrue(subscriber);
        assertSent(subscriber, rig.sum(Counter.MESSAGES_OUT), rig.sum(Counter.BYTES_OUT));
        assertThat(rig.closes()).isEmpty();
    }
}

package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.ops.Counter;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is told to have been sent is what the socket got: of everything, of some, cut, with jumps; it never goes down. */
class SentCountsTest {
    private FanoutRig rig = new FanoutRig(Policy.SKIP);

    @AfterEach
    void close() {
        rig.close();
    }

    /** Counts the whole messages in what has come, and the bytes of them and of the one that is cut. */
    private static final class Counted {
        private byte[] cut = {};
        private long messages;
        private long whole;

        Counted add(byte[] more) {
            ByteBuffer bytes = ByteBuffer.allocate(cut.length + more.length);
            bytes.put(cut).put(more).flip();
            while (bytes.remaining() >= 8) {
                int type = bytes.getInt(bytes.position());
                int frame = 8 + bytes.getInt(bytes.position() + 4);
                if (frame > bytes.remaining()) {
                    break;
                }
                if (!ControlFrames.isControl(type)) {
                    messages++;
                    whole += frame;
                }
                bytes.position(bytes.position() + frame);
            }
            cut = new byte[bytes.remaining()];
            bytes.get(cut);
            return this;
        }

        long bytes() {
            return whole + cut.length;
        }
    }

    private static void assertTrue(FanoutRig.Subscriber subscriber, Counted sent) {
        assertThat(subscriber.connection.report(0).bytes()).isEqualTo(sent.bytes());
        assertThat(subscriber.connection.report(0).messages()).isEqualTo(sent.messages);
    }

    @Test
    void everything() {
        rig.publishMany(7, 50);
        FanoutRig.Subscriber subscriber = rig.connect();
        assertThat(subscriber.connection.report(0).messages()).isZero();
        rig.publishMany(10, 42);
        rig.pump();
        assertThat(subscriber.connection.report(0).messages()).isEqualTo(10);
        assertThat(subscriber.connection.report(0).bytes()).isEqualTo(500);
        assertThat(rig.sum(Counter.MESSAGES_OUT)).isEqualTo(10);
        assertThat(rig.sum(Counter.BYTES_OUT)).isEqualTo(500);
    }

    @Test
    void whileAWriteIsInFlightItIsNotCounted() {
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.block();
        rig.publishMany(10, 42);
        rig.pump();
        assertThat(subscriber.connection.report(0).messages()).isZero();
        assertThat(subscriber.connection.report(0).bytes()).isZero();
        subscriber.unblock();
        assertThat(subscriber.connection.report(0).messages()).isEqualTo(10);
        assertThat(subscriber.connection.report(0).bytes()).isEqualTo(500);
    }

    @Test
    void someTypesAreCountedAndTheOthersAreNot() {
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.hello(HelloFrame.subscriber().types(TypeRanges.of(2, 4)));
        rig.pump();
        rig.publishMany(10, 42);
        rig.pump();
        assertThat(subscriber.connection.report(0).messages()).isEqualTo(3);
        assertThat(subscriber.connection.report(0).bytes()).isEqualTo(150);
        assertTrue(subscriber, new Counted().add(subscriber.wire.take()));
    }

    @Test
    void whatIsSkippedIsNotSent() {
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.hello(HelloFrame.subscriber().policy(Policy.SKIP));
        rig.pump();
        rig.publishMany(10, 42);
        rig.pump();
        // A socket that stands still, while more goes by than the log holds.
        subscriber.block();
        rig.publishMany(3, 42);
        rig.pump();
        rig.publishMany(2 * FanoutRig.LOG / 50, 42);
        subscriber.unblock();
        rig.pump();
        byte[] got = subscriber.wire.take();
        assertTrue(subscriber, new Counted().add(got));
        long skipped = rig.sum(Counter.MESSAGES_SKIPPED);
        assertThat(skipped).isPositive();
        assertThat(subscriber.connection.report(0).messages() + skipped)
                .isEqualTo(rig.head().sequence() - 1);
        assertThat(Control.all(ByteBuffer.wrap(got)))
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
        Counted got = new Counted();
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
                    // Small strides, which cut frames.
                    subscriber.connection.send(rig.head(), 1 + random.nextInt(500), 1, true);
                }
            }
            if (random.nextInt(3) == 0) {
                rig.pump();
            }
            assertThat(subscriber.connection.report(0).messages()).isGreaterThanOrEqualTo(messages);
            assertThat(subscriber.connection.report(0).bytes()).isGreaterThanOrEqualTo(bytes);
            messages = subscriber.connection.report(0).messages();
            bytes = subscriber.connection.report(0).bytes();
            got.add(subscriber.wire.take());
            assertThat(bytes).isEqualTo(got.bytes());
            assertThat(messages).as("to the packet only").isLessThanOrEqualTo(got.messages);
        }
        if (blocked) {
            subscriber.unblock();
        }
        rig.pump();
        assertTrue(subscriber, got.add(subscriber.wire.take()));
        assertThat(rig.sum(Counter.MESSAGES_OUT))
                .isEqualTo(subscriber.connection.report(0).messages());
        assertThat(rig.sum(Counter.BYTES_OUT))
                .isEqualTo(subscriber.connection.report(0).bytes());
        assertThat(rig.closes()).isEmpty();
    }
}

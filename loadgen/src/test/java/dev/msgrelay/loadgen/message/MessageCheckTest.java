package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageCheckTest {
    /** Whatever is changed of a message: each bit of short ones, some of long ones. */
    @ParameterizedTest
    @ValueSource(ints = {16, 17, 23, 24, 40, 99, 100, 1_000, 64_999, 65_000, 65_001, 140_000})
    void everyBitOfEveryByteIsChecked(int size) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        SizeTable sizes = SizeTable.fixed(size);
        FrameBatch batch = FrameBatch.ofMessages(sizes, 1);
        int bits = size * Byte.SIZE;
        for (int i = 0; i < Math.min(bits, 1_000); i++) {
            int bit = bits <= 1_000 ? i : random.nextInt(bits);
            batch.add(LoadMessage.stamp(0, i), seed + i);
            ByteBuffer frame = batch.drain();
            MessageCheck check = new MessageCheck(1, sizes, MessageCheck.Order.UNHEARD);
            check.onMessage(LoadMessage.TYPE, body(frame));
            assertThat(check.corrupted()).isZero();
            int at = FrameLayout.HEADER_LENGTH + bit / Byte.SIZE;
            frame.put(at, (byte) (frame.get(at) ^ 1 << bit % Byte.SIZE));
            check.onMessage(LoadMessage.TYPE, body(frame));
            assertThat(check.corrupted()).as("bit %d, seed %d", bit, seed).isOne();
            // The frames of a batch of one size are packed once: what was changed is put right.
            frame.put(at, (byte) (frame.get(at) ^ 1 << bit % Byte.SIZE));
        }
    }

    /** Of many messages that are compared at once, exactly those are corrupted of which a bit was turned over. */
    @ParameterizedTest
    @ValueSource(ints = {16, 17, 40, 100, 1_000, 3_000, 4_000})
    void everyBitOfARunIsChecked(int size) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        SizeTable sizes = SizeTable.fixed(size);
        int frameLength = FrameLayout.frameLength(size);
        int messages = 300;
        FrameBatch batch = FrameBatch.ofMessages(sizes, messages);
        for (int i = 0; i < messages; i++) {
            batch.add(LoadMessage.stamp(0, i), seed + i);
        }
        ByteBuffer frames = batch.drain();
        for (int i = 0; i < 500; i++) {
            int turned = random.nextInt(messages);
            int bit = i < size * Byte.SIZE ? i : random.nextInt(size * Byte.SIZE);
            int at = turned * frameLength + FrameLayout.HEADER_LENGTH + bit / Byte.SIZE;
            frames.put(at, (byte) (frames.get(at) ^ 1 << bit % Byte.SIZE));
            MessageCheck check = new MessageCheck(1, sizes, MessageCheck.Order.UNHEARD);
            feed(check, frames, random);
            check.sequence().onEnd(0, messages);
            assertThat(check.corrupted())
                    .as("message %d, bit %d, seed %d", turned, bit, seed)
                    .isOne();
            assertThat(check.sequence().lost()).isEqualTo(check.unreadable());
            frames.put(at, (byte) (frames.get(at) ^ 1 << bit % Byte.SIZE));
        }
    }

    /** As a reader does, from reads of any length. */
    private static void feed(MessageCheck check, ByteBuffer frames, Random random) {
        int at = 0;
        int read = 0;
        while (at < frames.limit()) {
            read = Math.min(frames.limit(), read + random.nextInt(60_000));
            while (read - at >= FrameLayout.HEADER_LENGTH) {
                int frameLength = FrameLayout.frameLength(FrameLayout.bodyLength(frames, at));
                int run = check.onRun(frames, at, read);
                if (run > 0) {
                    at += run * frameLength;
                } else if (read - at < frameLength) {
                    break;
                } else {
                    ByteBuffer body =
                            frames.duplicate().limit(at + frameLength).position(at + FrameLayout.HEADER_LENGTH);
                    check.onMessage(FrameLayout.type(frames, at), body);
                    at += frameLength;
                }
            }
        }
    }

    private static ByteBuffer message(SizeTable sizes, long number) {
        FrameBatch batch = FrameBatch.ofMessages(sizes, 1);
        batch.add(LoadMessage.stamp(0, number), 1);
        ByteBuffer frame = batch.drain();
        assertThat(FrameLayout.type(frame, 0)).isEqualTo(1 + (int) (number % 5));
        return body(frame);
    }

    /** What runs make quick must not make wrong: against each message on its own. */
    @RepeatedTest(50)
    void countsRunsAsItCountsMessages() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        SizeTable sizes = SizeTable.fixed(20);
        FrameBatch batch = FrameBatch.ofMessages(sizes, 20);
        MessageCheck check = new MessageCheck(2, sizes, MessageCheck.Order.UNHEARD);
        SequenceCheck expected = new SequenceCheck(2);
        long[] numbers = new long[3];
        for (int i = 0; i < 300; i++) {
            int publisher = random.nextInt(random.nextInt(10) == 0 ? 3 : 2);
            int run = random.nextInt(20);
            numbers[publisher] = Math.max(0, numbers[publisher] + (random.nextInt(4) == 0 ? random.nextInt(9) - 4 : 0));
            for (int k = 0; k < run; k++) {
                long stamp = LoadMessage.stamp(publisher, numbers[publisher]++);
                batch.add(stamp, i);
                expected.onMessage(stamp);
            }
            feed(check, batch.drain(), random);
            assertThat(counts(check.sequence())).as("seed %d", seed).isEqualTo(counts(expected));
        }
    }

    private static List<Long> counts(SequenceCheck check) {
        return List.of(check.accepted(), check.lost(), check.duplicated(), check.reordered(), check.unknown());
    }

    private static ByteBuffer body(ByteBuffer frame) {
        return frame.duplicate().position(FrameLayout.HEADER_LENGTH);
    }
}

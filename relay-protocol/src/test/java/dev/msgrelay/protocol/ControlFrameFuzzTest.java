package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

/** Whatever a control frame's body holds, a decoder gives a value that can be written again, or a FrameException. */
class ControlFrameFuzzTest {
    private static final int BODIES = 1000;
    private static final int MOST_CHANGES = 4;
    private static final byte[] EDGES = {0, 1, 2, 3, 4, 0x7F, (byte) 0x80, (byte) 0xFE, (byte) 0xFF};

    private static final List<TestVector> VECTORS = TestVector.all().toList();

    private int accepted;
    private int refused;

    @RepeatedTest(10)
    void aChangedBodyIsAValueOrAFrameException() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < BODIES; i++) {
            TestVector vector = VECTORS.get(random.nextInt(VECTORS.size()));
            check(vector.type(), changed(vector.body(), random), seed);
        }
        assertThat(accepted).as("accepted, seed %d", seed).isPositive();
        assertThat(refused).as("refused, seed %d", seed).isPositive();
    }

    @RepeatedTest(10)
    void aRandomBodyIsAValueOrAFrameException() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < BODIES; i++) {
            byte[] body = new byte[random.nextInt(200)];
            random.nextBytes(body);
            check(VECTORS.get(random.nextInt(VECTORS.size())).type(), body, seed);
        }
    }

    private static byte[] changed(byte[] body, Random random) {
        byte[] changed = body.clone();
        if (random.nextInt(4) == 0) {
            changed = Arrays.copyOf(changed, random.nextInt(body.length + 10));
        }
        for (int i = random.nextInt(MOST_CHANGES + 1); i > 0 && changed.length > 0; i--) {
            int at = random.nextInt(changed.length);
            changed[at] = random.nextBoolean()
                    ? EDGES[random.nextInt(EDGES.length)]
                    : (byte) (changed[at] ^ 1 << random.nextInt(Byte.SIZE));
        }
        return changed;
    }

    private void check(int type, byte[] body, long seed) {
        try {
            Object value = Codecs.decode(type, ByteBuffer.wrap(body));
            accepted++;
            byte[] frame = Codecs.encode(value);
            if (frame != null) {
                ByteBuffer again = ByteBuffer.wrap(frame).position(FrameLayout.HEADER_LENGTH);
                assertThat(decodeAgain(type, again)).isEqualTo(value);
            }
        } catch (FrameException e) {
            refused++;
            // Plain comparisons: it is thousands of them, and an assertion that holds takes longer than the decoder.
            boolean right = e.reason() == CloseReason.MALFORMED_CONTROL
                    && e.getMessage().startsWith(ControlFrames.name(type) + ": ");
            if (!right) {
                throw new AssertionError("seed " + seed + ": " + ControlFrames.name(type) + Arrays.toString(body), e);
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + ControlFrames.name(type) + Arrays.toString(body), e);
        }
    }

    private static Object decodeAgain(int type, ByteBuffer body) {
        try {
            return Codecs.decode(type, body);
        } catch (FrameException e) {
            throw new AssertionError("refuses what it has written", e);
        }
    }
}

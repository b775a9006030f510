package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The fuzz target itself, with all vectors and some changes of them: it is run for longer by hand. */
class ProtocolFuzzTargetTest {
    private static final int CHANGES_OF_EACH = 20;

    @Test
    void holdsForVectorsAndChangesOfThem() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        TestVector.all().forEach(vector -> {
            byte[] input = ByteBuffer.allocate(1 + vector.body().length)
                    .put((byte) vector.type())
                    .put(vector.body())
                    .array();
            for (int i = 0; i < CHANGES_OF_EACH; i++) {
                try {
                    ProtocolFuzzTarget.fuzzerTestOneInput(input);
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("seed " + seed + ", vector " + vector, e);
                }
                input[random.nextInt(input.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
        });
    }
}

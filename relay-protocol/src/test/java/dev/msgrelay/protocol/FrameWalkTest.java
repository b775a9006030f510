package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameWalkTest {
    private static final int MAX_BODY = 20;

    private final ByteBuffer bytes = ByteBuffer.allocate(4096);

    /** Stretches of equal and of other headers, with a cut or a fault behind them, found frame by frame. */
    @RepeatedTest(200)
    void findsAllThatIsWholeAndNoMore() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int from = random.nextInt(10);
        bytes.position(from);
        int messages = random.nextInt(40);
        for (int i = 0; i < messages; ) {
            int type = random.nextInt(3) - 1;
            int length = random.nextInt(4) == 0 ? random.nextInt(MAX_BODY + 1) : 9;
            for (int stretch = 1 + random.nextInt(5); stretch > 0 && i < messages; stretch--, i++) {
                put(type, length);
            }
        }
        int end = bytes.position();
        put(1, MAX_BODY);
        int more = random.nextInt(FrameLayout.frameLength(MAX_BODY));
        long walk = FrameWalk.over(bytes, from, end + more, MAX_BODY);
        assertThat(FrameWalk.messages(walk)).as("seed %d", seed).isEqualTo(messages);
        assertThat(FrameWalk.bytes(walk)).as("seed %d", seed).isEqualTo(end - from);
    }

    @ParameterizedTest
    @ValueSource(ints = {MAX_BODY + 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void endsBeforeALengthThatIsNone(int length) {
        put(1, 3);
        put(1, 3);
        bytes.putInt(1).putInt(length);
        assertWalk(2, 22);
    }

    @ParameterizedTest
    @ValueSource(ints = {ControlFrames.FIRST, ControlFrames.LAST})
    void endsBeforeAControlFrame(int type) {
        put(5, 3);
        put(type, 3);
        put(5, 3);
        assertWalk(1, 11);
    }

    @Test
    void theLongestBodyIsWhole() {
        put(Integer.MAX_VALUE, MAX_BODY);
        put(ControlFrames.LAST + 1, 0);
        assertWalk(2, 36);
    }

    private void assertWalk(int messages, int length) {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            bytes.order(order);
            long walk = FrameWalk.over(bytes, 0, bytes.position(), MAX_BODY);
            assertThat(FrameWalk.messages(walk)).as("%s", order).isEqualTo(messages);
            assertThat(FrameWalk.bytes(walk)).as("%s", order).isEqualTo(length);
        }
    }

    /** A body of ones is no header that a walk could take for one. */
    private void put(int type, int length) {
        bytes.putInt(type).putInt(length);
        for (int i = 0; i < length; i++) {
            bytes.put((byte) -1);
        }
    }
}

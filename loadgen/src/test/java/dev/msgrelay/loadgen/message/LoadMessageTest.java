package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoadMessageTest {
    @Test
    void fieldsLieWhereTheDiagramSays() {
        ByteBuffer buffer = ByteBuffer.allocate(LoadMessage.MIN_BODY + 3);
        LoadMessage.put(buffer, 3, LoadMessage.stamp(0xABCD, 0x0102_0304_0506L), 0x1112_1314_1516_1718L);
        assertThat(HexFormat.of().formatHex(buffer.array())).startsWith("000000" + "abcd010203040506" + "1415161718");
        assertThat(buffer.getLong(3 + LoadMessage.TIME_OFFSET) & 0xFFFFFF)
                .as("the check")
                .isNotZero();
    }

    @Test
    void theTimeIsWholeNearAnother() {
        long minute = 60_000_000_000L;
        ByteBuffer buffer = ByteBuffer.allocate(LoadMessage.MIN_BODY);
        for (long time : new long[] {0, -1, 1L << 40, (1L << 40) - 1, Long.MAX_VALUE, Long.MIN_VALUE, -5 * minute}) {
            LoadMessage.put(buffer, 0, 1, time);
            for (long away : new long[] {0, 1, -1, 8 * minute, -8 * minute}) {
                assertThat(LoadMessage.timeAt(buffer, 0, time + away))
                        .as("%d near %d", time, time + away)
                        .isEqualTo(time);
            }
        }
    }

    @Test
    void everyBitThatIsTurnedOverShows() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            ByteBuffer buffer = ByteBuffer.allocate(LoadMessage.MIN_BODY);
            LoadMessage.put(buffer, 0, random.nextLong() >>> random.nextInt(64), random.nextLong());
            assertThat(isWhole(buffer)).isTrue();
            for (int bit = 0; bit < Byte.SIZE * LoadMessage.MIN_BODY; bit++) {
                turnOver(buffer, bit);
                assertThat(isWhole(buffer))
                        .as("bit %d, seed %d round %d", bit, seed, round)
                        .isFalse();
                turnOver(buffer, bit);
            }
        }
    }

    @Test
    void zerosAreNoMessage() {
        ByteBuffer buffer = ByteBuffer.allocate(LoadMessage.MIN_BODY);
        assertThat(isWhole(buffer)).isFalse();
        LoadMessage.put(buffer, 0, LoadMessage.stamp(3, 77), 123_456_789);
        buffer.putLong(LoadMessage.TIME_OFFSET, 0);
        assertThat(isWhole(buffer)).isFalse();
    }

    private static void turnOver(ByteBuffer buffer, int bit) {
        int at = bit / Byte.SIZE;
        buffer.put(at, (byte) (buffer.get(at) ^ 1 << bit % Byte.SIZE));
    }

    private static boolean isWhole(ByteBuffer buffer) {
        long second = buffer.getLong(LoadMessage.TIME_OFFSET);
        return LoadMessage.agrees(LoadMessage.mix(LoadMessage.stampAt(buffer, 0), second), second);
    }

    @Test
    void publisherAndNumberSurviveTheStampAtTheirLimits() {
        long last = (1L << 48) - 1;
        for (int publisher : new int[] {0, 1, 0x8000, LoadMessage.MAX_PUBLISHER}) {
            for (long number : new long[] {0, 1, 1L << 32, last}) {
                long stamp = LoadMessage.stamp(publisher, number);
                assertThat(LoadMessage.publisher(stamp)).isEqualTo(publisher);
                assertThat(LoadMessage.number(stamp)).isEqualTo(number);
            }
        }
    }
}

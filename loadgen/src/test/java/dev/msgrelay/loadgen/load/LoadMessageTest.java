package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class LoadMessageTest {
    @Test
    void fieldsLieWhereTheDiagramSays() {
        ByteBuffer buffer = ByteBuffer.allocate(LoadMessage.MIN_BODY + 3);
        LoadMessage.put(buffer, 3, LoadMessage.stamp(0xABCD, 0x0102_0304_0506L), 0x1112_1314_1516_1718L);
        assertThat(HexFormat.of().formatHex(buffer.array()))
                .isEqualTo("000000" + "abcd010203040506" + "1112131415161718");
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

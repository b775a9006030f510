package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sliding window against messages that are packed one by one, byte for byte. */
class PackedStreamTest {
    private static final int PUBLISHER = 7;
    private static final long FIRST = 41;
    private static final int WRITES = 40;

    @ParameterizedTest(name = "{0}-byte bodies in writes of {1}")
    @CsvSource({
        "16, 1448",
        "17, 1448",
        "100, 1448",
        "100, 65483",
        "1000, 65483",
        "40, 4800",
        "65475, 65483",
        "100, 64",
        "500, 100",
        "70000, 65483",
        "100, 108",
        "100, 107",
        "100, 109"
    })
    void isTheSameStreamAsMessagesPackedOneByOne(int body, int writeSize) {
        MessageStream.Packed stream = new MessageStream.Packed(PUBLISHER, body, writeSize, FIRST);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        long[] timeOf = new long[WRITES * writeSize / FrameLayout.frameLength(body) + WRITES];
        for (int i = 0; i < WRITES; i++) {
            long time = 1_000L + i;
            long before = stream.nextNumber();
            ByteBuffer window = stream.next(time);
            assertThat(window.remaining()).isEqualTo(writeSize);
            copy(window, written);
            for (long number = before; number < stream.nextNumber(); number++) {
                timeOf[(int) (number - FIRST)] = time;
            }
        }
        copy(stream.rest(), written);
        assertThat(stream.rest().remaining()).as("nothing is cut any more").isZero();
        int count = (int) (stream.nextNumber() - FIRST);
        assertThat(written.toByteArray()).isEqualTo(oneByOne(body, count, timeOf));
    }

    @ParameterizedTest
    @CsvSource({"100, 1448", "500, 100"})
    void goesOnAfterARest(int body, int writeSize) {
        MessageStream.Packed stream = new MessageStream.Packed(PUBLISHER, body, writeSize, FIRST);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int i = 0; i < 3; i++) {
            copy(stream.next(5), written);
            copy(stream.rest(), written);
        }
        int count = (int) (stream.nextNumber() - FIRST);
        long[] times = new long[count];
        Arrays.fill(times, 5);
        assertThat(written.toByteArray()).isEqualTo(oneByOne(body, count, times));
    }

    private static byte[] oneByOne(int body, int count, long[] timeOf) {
        ByteBuffer all = ByteBuffer.allocate(count * FrameLayout.frameLength(body));
        for (int i = 0; i < count; i++) {
            all.putInt(LoadMessage.TYPE).putInt(body);
            LoadMessage.put(all, all.position(), LoadMessage.stamp(PUBLISHER, FIRST + i), timeOf[i]);
            all.position(all.position() + LoadMessage.MIN_BODY);
            for (int at = LoadMessage.MIN_BODY; at < body; at++) {
                all.put((byte) ('a' + at % 26));
            }
        }
        return all.array();
    }

    private static void copy(ByteBuffer window, ByteArrayOutputStream target) {
        byte[] bytes = new byte[window.remaining()];
        window.get(bytes);
        target.writeBytes(bytes);
    }
}

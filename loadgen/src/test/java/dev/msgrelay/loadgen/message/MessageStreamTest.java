package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessageStreamTest {
    private static final int PUBLISHER = 7;
    private static final long FIRST = 41;
    private static final long TIME = 1_000;
    private static final int WRITES = 40;

    @ParameterizedTest(name = "{0} in writes of {1}")
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
        "100, 109",
        "16-1000, 1448",
        "16-1000, 64",
        "'16-200000', 65483",
        "16-1000, 65483",
        "100-70000, 261932",
    })
    void writesOfOneSizeAreCutFromOneStream(String body, int writeSize) {
        SizeTable sizes = SizeTable.of(BodySizes.parse(body));
        MessageStream stream = MessageStream.ofBytes(PUBLISHER, sizes, writeSize, FIRST);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < WRITES; i++) {
            long before = stream.nextNumber();
            ByteBuffer window = stream.next(TIME + i);
            assertThat(window.remaining()).isEqualTo(writeSize);
            copy(window, written);
            times.addAll(Collections.nCopies((int) (stream.nextNumber() - before), TIME + i));
            if (i >= WRITES / 2) {
                copy(stream.rest(), written);
                assertThat(stream.rest().remaining())
                        .as("nothing is cut any more")
                        .isZero();
            }
        }
        copy(stream.rest(), written);
        assertThat(stream.rest().remaining()).as("nothing is cut any more").isZero();
        assertHolds(written.toByteArray(), sizes, times);
    }

    @ParameterizedTest(name = "{0}, {1} to a write")
    @CsvSource({"100, 1", "100, 12", "16-1000, 1", "16-1000, 12"})
    void writesOfSoManyMessagesAreWhole(String body, int batch) {
        SizeTable sizes = SizeTable.of(BodySizes.parse(body));
        MessageStream stream = MessageStream.ofMessages(PUBLISHER, sizes, batch, FIRST);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int i = 0; i < WRITES; i++) {
            long before = stream.nextNumber();
            copy(stream.next(TIME), written);
            assertThat(stream.nextNumber()).isEqualTo(before + batch);
        }
        assertThat(stream.rest().remaining()).isZero();
        assertHolds(written.toByteArray(), sizes, Collections.nCopies(WRITES * batch, TIME));
    }

    @Test
    void aBatchOfBytesTakesAtLeastOneMessage() {
        SizeTable large = SizeTable.fixed(300_000);
        FrameBatch batch = FrameBatch.ofBytes(large);
        assertThat(batch.hasRoom(0)).isTrue();
        batch.add(0, TIME);
        assertThat(batch.hasRoom(1)).isFalse();
        assertThat(batch.drain().remaining()).isEqualTo(FrameLayout.frameLength(300_000));
        assertThat(batch.hasRoom(1)).as("empty again").isTrue();
    }

    /** Walks the bytes with nothing of the classes under test but the sizes. */
    private static void assertHolds(byte[] bytes, SizeTable sizes, List<Long> times) {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        for (long number = FIRST; number < FIRST + times.size(); number++) {
            int size = sizes.sizeOf(LoadMessage.stamp(PUBLISHER, number));
            assertThat(all.getInt()).isEqualTo(LoadMessage.TYPE);
            assertThat(all.getInt()).isEqualTo(size);
            assertThat(all.getLong()).isEqualTo(((long) PUBLISHER << 48) + number);
            assertThat(LoadMessage.timeAt(all, all.position() - LoadMessage.TIME_OFFSET, TIME))
                    .isEqualTo(times.get((int) (number - FIRST)));
            all.getLong();
            for (int at = 16; at < size; at++) {
                if (all.get() != 'a' + at % 26) {
                    throw new AssertionError("padding of message " + number + " at " + at);
                }
            }
        }
        assertThat(all.remaining()).isZero();
    }

    private static void copy(ByteBuffer window, ByteArrayOutputStream target) {
        byte[] bytes = new byte[window.remaining()];
        window.get(bytes);
        target.writeBytes(bytes);
    }
}

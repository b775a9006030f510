package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Records without data are counted by their headers, in whatever pieces they come. */
class EmptyRecordsTest {
    private final EmptyRecords records = new EmptyRecords();

    private static ByteBuffer of(int count, int... lengths) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        Random random = new Random(1);
        for (int i = 0; i < count; i++) {
            int length = lengths[i % lengths.length];
            byte[] body = new byte[length];
            random.nextBytes(body);
            bytes.put((byte) 23)
                    .putShort((short) 0x0303)
                    .putShort((short) length)
                    .put(body);
        }
        return bytes.flip();
    }

    private boolean tooManyInPieces(ByteBuffer bytes, int piece) {
        boolean tooMany = false;
        for (int at = 0; at < bytes.limit(); at += piece) {
            tooMany |= records.tooMany(bytes, at, Math.min(bytes.limit(), at + piece), 0);
        }
        return tooMany;
    }

    @Test
    void thirtyTwoMayComeBetweenTwoTicksWhateverTheirPieces() {
        for (int piece : new int[] {1, 2, 3, 4, 5, 6, 7, 22, 27, 160, 1448, 1 << 20}) {
            assertThat(tooManyInPieces(of(32, 22, 0, 16_401, 255, 256), piece))
                    .as("32 in pieces of " + piece)
                    .isFalse();
            assertThat(tooManyInPieces(of(1, 22), piece))
                    .as("one more in pieces of " + piece)
                    .isTrue();
            records.tick();
        }
    }

    @Test
    void aRecordCountsWithItsLastByteOnly() {
        assertThat(tooManyInPieces(of(32, 22), 27)).isFalse();
        ByteBuffer last = of(1, 16_401);
        for (int at = 0; at < last.limit() - 1; at++) {
            assertThat(records.tooMany(last, at, at + 1, 0)).as("byte " + at).isFalse();
        }
        assertThat(records.tooMany(last, last.limit() - 1, last.limit(), 0)).isTrue();
    }

    @Test
    void theEndOfARecordIsKnownOnceItsHeaderHasCome() {
        ByteBuffer two = of(2, 300);
        int length = 5 + 300;
        for (int at = 0; at < length; at++) {
            assertThat(records.rest(two, at, two.limit())).as("from byte " + at).isEqualTo(length - at);
            assertThat(records.rest(two, at, at)).isEqualTo(at < 5 ? Integer.MAX_VALUE : length - at);
            records.tooMany(two, at, at + 1, 1);
        }
        assertThat(records.rest(two, length, two.limit())).isEqualTo(length);
    }

    @Test
    void recordsWithDataAreNoneOfThem() {
        ByteBuffer many = of(100, 120);
        assertThat(records.tooMany(many, 0, many.limit(), 100 * 100)).isFalse();
        assertThat(records.tooMany(many, 0, many.limit(), 68)).isFalse();
        assertThat(records.tooMany(many, 0, 125, 0)).isTrue();
    }
}

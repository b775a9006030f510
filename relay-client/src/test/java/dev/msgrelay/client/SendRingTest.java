package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class SendRingTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();

    /** Header and body each cross the ring's end at every possible byte. */
    @Test
    void framesCrossTheEndWhereverItLies() throws Exception {
        for (int start = 0; start < 64; start++) {
            SendRing ring = new SendRing(64);
            append(ring, 1, new byte[start < 8 ? 0 : start - 8], start % 2 == 0);
            int skipped = drain(ring, 64, Integer.MAX_VALUE);
            assertThat(skipped).isGreaterThanOrEqualTo(8);
            append(ring, 0x01020304, new byte[] {11, 12, 13, 14, 15, 16, 17}, start % 2 == 1);
            append(ring, -2, new byte[] {21}, start % 2 == 0);
            drain(ring, 64, Integer.MAX_VALUE);
            assertThat(written.toByteArray()).as("from %d", start).isEqualTo(expected.toByteArray());
        }
    }

    /** Two frames of 8 and 11 bytes, which cross the ring's end at every possible byte. */
    @Test
    void aRunCrossesTheEndWhereverItLies() throws Exception {
        ByteBuffer run = Frames.joined(Frames.frame(7), Frames.frame(8, (byte) 1, (byte) 2, (byte) 3));
        for (int start = 8; start < 64; start++) {
            SendRing ring = new SendRing(64);
            append(ring, 1, new byte[start - 8], true);
            drain(ring, 64, Integer.MAX_VALUE);
            ring.append(run);
            assertThat(run.remaining()).isEqualTo(19);
            assertThat(ring.used()).isEqualTo(19);
            expected.writeBytes(run.array());
            drain(ring, 64, Integer.MAX_VALUE);
            assertThat(written.toByteArray()).as("from %d", start).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void isFullAtItsCapacityAndNotBefore() throws Exception {
        SendRing ring = new SendRing(32);
        assertThat(ring.hasRoomFor(32)).isTrue();
        assertThat(ring.hasRoomFor(33)).isFalse();
        append(ring, 1, new byte[24], true);
        assertThat(ring.used()).isEqualTo(32);
        assertThat(ring.hasRoomFor(1)).isFalse();
        assertThat(ring.prepare(0, 5)).isEqualTo(5);
        ring.release(5);
        assertThat(ring.hasRoomFor(5)).isTrue();
        assertThat(ring.hasRoomFor(6)).isFalse();
    }

    @RepeatedTest(20)
    void randomFramesThroughAChannelThatTakesLittle() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        SendRing ring = new SendRing(200 + random.nextInt(200));
        for (int i = 0; i < 2000; i++) {
            byte[] body = new byte[random.nextInt(190)];
            random.nextBytes(body);
            while (!ring.hasRoomFor(FrameLayout.frameLength(body.length))) {
                drain(ring, 1 + random.nextInt(300), 1 + random.nextInt(100));
            }
            append(ring, random.nextInt(), body, random.nextBoolean());
        }
        while (ring.used() > 0) {
            drain(ring, 1 + random.nextInt(300), 1 + random.nextInt(100));
        }
        assertThat(written.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
    }

    private void append(SendRing ring, int type, byte[] body, boolean asArray) {
        if (asArray) {
            byte[] padded = new byte[body.length + 4];
            System.arraycopy(body, 0, padded, 3, body.length);
            ring.append(type, padded, 3, body.length);
        } else {
            ByteBuffer direct = ByteBuffer.allocateDirect(body.length + 5);
            direct.position(2).limit(2 + body.length);
            direct.put(2, body);
            ring.append(type, direct);
            assertThat(direct.remaining()).isEqualTo(body.length);
        }
        expected.writeBytes(Frames.frame(type, body).array());
    }

    private int drain(SendRing ring, int most, int channelTakes) throws Exception {
        int prepared = ring.prepare(0, most);
        int n = ring.writePrepared(new Sink(channelTakes));
        assertThat(n).isLessThanOrEqualTo(prepared);
        ring.release(n);
        return n;
    }

    /** Takes at most so many bytes. */
    private final class Sink implements GatheringByteChannel {
        private int room;

        Sink(int room) {
            this.room = room;
        }

        @Override
        public int write(ByteBuffer source) {
            int before = room;
            while (source.hasRemaining() && room > 0) {
                written.write(source.get());
                room--;
            }
            return before - room;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            long n = 0;
            for (int i = offset; i < offset + length; i++) {
                n += write(sources[i]);
            }
            return n;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}

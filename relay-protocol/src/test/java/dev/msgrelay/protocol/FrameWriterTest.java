package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class FrameWriterTest {
    private static final byte[] NOTHING = {};

    private final Sink sink = new Sink();

    @Test
    void packsFramesOneBehindTheOther() throws Exception {
        TestStream expected = new TestStream().frame(1, 5).frame(-2, 0).frame(3, 40);
        FrameWriter writer = new FrameWriter(200, 100);
        for (TestStream.Frame frame : expected.frames()) {
            byte[] body = bytes(frame);
            assertThat(writer.put(frame.type(), body, 0, body.length)).isTrue();
        }
        assertThat(writer.pending()).isEqualTo(expected.bytes().length);
        assertThat(writer.flush(sink)).isZero();
        assertThat(writer.pending()).isZero();
        assertThat(sink.taken.toByteArray()).isEqualTo(expected.bytes());
    }

    @Test
    void takesAPartOfABufferOrArrayAndLeavesItAsItWas() throws Exception {
        byte[] source = {9, 9, 1, 2, 3, 9};
        FrameWriter writer = new FrameWriter(100, 100);
        ByteBuffer body = ByteBuffer.wrap(source, 2, 3);
        writer.put(5, body);
        writer.put(5, source, 2, 3);
        assertThat(body.position()).isEqualTo(2);
        assertThat(body.limit()).isEqualTo(5);
        writer.flush(sink);
        byte[] content = {1, 2, 3};
        assertThat(sink.taken.toByteArray())
                .isEqualTo(new TestStream().frame(5, content).frame(5, content).bytes());
    }

    @Test
    void refusesWhatDoesNotFitAndPacksNothingOfIt() throws Exception {
        FrameWriter writer = new FrameWriter(30, 100);
        assertThat(writer.put(1, ByteBuffer.allocate(4))).isTrue();
        assertThat(writer.put(2, ByteBuffer.allocate(11))).isFalse();
        assertThat(writer.pending()).isEqualTo(12);
        assertThat(writer.put(2, ByteBuffer.allocate(10)))
                .as("exactly what is left")
                .isTrue();
        assertThat(writer.put(3, ByteBuffer.allocate(0))).isFalse();
        writer.flush(sink);
        assertThat(writer.put(3, ByteBuffer.allocate(22)))
                .as("the whole buffer is free again")
                .isTrue();
    }

    @Test
    void refusesABodyOverTheLimitAndAFrameThatNeverFits() {
        assertThatThrownBy(() -> new FrameWriter(100, 10).put(1, new byte[11], 0, 11))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("11")
                .hasMessageContaining("limit of 10");
        assertThatThrownBy(() -> new FrameWriter(20, 100).put(1, new byte[13], 0, 13))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("frame of 21")
                .hasMessageContaining("buffer of 20");
    }

    @Test
    void refusesSizesThatCannotWork() {
        assertThatThrownBy(() -> new FrameWriter(7, 1))
                .hasMessageContaining("7")
                .hasMessageContaining("8");
        assertThatThrownBy(() -> new FrameWriter(64, -1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> new FrameWriter(64, FrameLayout.MAX_MAX_BODY + 1))
                .hasMessageContaining("" + FrameLayout.MAX_MAX_BODY);
        FrameWriter least = new FrameWriter(FrameLayout.HEADER_LENGTH, 0);
        assertThat(least.put(1, NOTHING, 0, 0)).isTrue();
        assertThat(new FrameWriter(64, FrameLayout.MAX_MAX_BODY).put(1, new byte[56], 0, 56))
                .isTrue();
        assertThat(new FrameWriter(64, 10).put(1, new byte[10], 0, 10))
                .as("a body of the limit")
                .isTrue();
    }

    @Test
    void refusesEveryReservedTypeAndNoOther() {
        FrameWriter writer = new FrameWriter(100, 10);
        for (int type : new int[] {ControlFrames.FIRST, ControlFrames.ERROR, ControlFrames.LAST}) {
            assertThatThrownBy(() -> writer.put(type, NOTHING, 0, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(String.format(Locale.ROOT, "0x%08X", type));
        }
        assertThat(writer.pending()).isZero();
        assertThat(writer.put(ControlFrames.FIRST - 1, NOTHING, 0, 0)).isTrue();
        assertThat(writer.put(ControlFrames.LAST + 1, NOTHING, 0, 0)).isTrue();
    }

    @Test
    void aWrongRangeLeavesNoHeaderBehind() {
        FrameWriter writer = new FrameWriter(100, 50);
        assertThatThrownBy(() -> writer.put(1, new byte[4], 2, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> writer.put(1, new byte[4], 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> writer.put(1, new byte[4], -1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(writer.pending()).isZero();
    }

    @Test
    void keepsWhatAFullChannelDidNotTake() throws Exception {
        TestStream expected = new TestStream().frame(1, 30).frame(2, 30);
        FrameWriter writer = new FrameWriter(60, 50);
        byte[] first = bytes(expected.frames().get(0));
        byte[] second = bytes(expected.frames().get(1));
        writer.put(1, first, 0, 30);

        sink.room = 20;
        assertThat(writer.flush(sink)).isEqualTo(18);
        assertThat(writer.put(2, second, 0, 30)).as("behind what remains").isTrue();
        sink.room = 0;
        assertThat(writer.flush(sink)).isEqualTo(56);
        sink.room = Integer.MAX_VALUE;
        assertThat(writer.flush(sink)).isZero();
        assertThat(sink.taken.toByteArray()).isEqualTo(expected.bytes());
    }

    @Test
    void aFailedWriteKeepsWhatWasNotTaken() {
        FrameWriter writer = new FrameWriter(60, 50);
        writer.put(1, new byte[30], 0, 30);
        sink.mostPerWrite = 10;
        sink.failAfter = 20;
        assertThatThrownBy(() -> writer.flush(sink)).isInstanceOf(IOException.class);
        assertThat(writer.pending()).isEqualTo(18);
    }

    @RepeatedTest(20)
    void whatIsPackedIsWhatComesOutThroughAChannelThatTakesLittle() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        TestStream expected = new TestStream();
        FrameWriter writer = new FrameWriter(300, 200);
        sink.mostPerWrite = 1 + random.nextInt(50);
        for (int i = 0; i < 200; i++) {
            byte[] body = new byte[random.nextInt(200)];
            random.nextBytes(body);
            int type = random.nextInt(1000);
            expected.frame(type, body);
            while (!writer.put(type, body, 0, body.length)) {
                sink.room = 1 + random.nextInt(400);
                writer.flush(sink);
            }
        }
        sink.room = Integer.MAX_VALUE;
        writer.flush(sink);
        assertThat(sink.taken.toByteArray()).as("seed %d", seed).isEqualTo(expected.bytes());
    }

    private static byte[] bytes(TestStream.Frame frame) {
        byte[] bytes = new byte[frame.body().size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = frame.body().get(i);
        }
        return bytes;
    }

    /** Takes at most {@code mostPerWrite} bytes a write and {@code room} bytes in all, as a non-blocking socket. */
    private static final class Sink implements WritableByteChannel {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private int room = Integer.MAX_VALUE;
        private int mostPerWrite = Integer.MAX_VALUE;
        private int failAfter = Integer.MAX_VALUE;

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (taken.size() >= failAfter) {
                throw new IOException("connection reset");
            }
            int n = Math.min(Math.min(room, mostPerWrite), source.remaining());
            for (int i = 0; i < n; i++) {
                taken.write(source.get());
            }
            room -= n;
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

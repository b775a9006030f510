package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.TestStream.Frame;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReaderTest {
    private static final int SMALL_BUFFER = 64;
    private static final int MAX_BODY = 1000;

    private final List<Frame> got = new ArrayList<>();

    /** Empty bodies, one byte, one that fills the small buffer exactly, one that is larger than it. */
    private static TestStream sample() {
        return new TestStream()
                .frame(1, 0)
                .frame(2, 1)
                .frame(-3, 7)
                .frame(4, 0)
                .frame(5, SMALL_BUFFER - FrameLayout.HEADER_LENGTH)
                .frame(Integer.MAX_VALUE, 150)
                .frame(Integer.MIN_VALUE + 256, 3)
                .frame(0, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {FrameLayout.HEADER_LENGTH, SMALL_BUFFER, 4096})
    void findsEveryFrameWhenFedOneByteAtATime(int bufferSize) throws Exception {
        TestStream stream = sample();
        FrameReader reader = new FrameReader(bufferSize, MAX_BODY);

        TestStream.readAll(reader, new ScriptedChannel(stream.bytes(), () -> 1), got);

        assertThat(got).isEqualTo(stream.frames());
        assertThat(reader.frames()).isEqualTo(stream.frames().size());
        assertThat(reader.bytes()).isEqualTo(stream.bytes().length);
        assertThat(reader.reads()).isEqualTo(stream.bytes().length);
        assertThat(reader.pending()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {FrameLayout.HEADER_LENGTH, SMALL_BUFFER, 4096})
    void findsEveryFrameWhereverTheStreamIsSplit(int bufferSize) throws Exception {
        TestStream stream = sample();
        for (int split = 0; split <= stream.bytes().length; split++) {
            got.clear();
            TestStream.readAll(
                    new FrameReader(bufferSize, MAX_BODY), ScriptedChannel.splitAt(stream.bytes(), split), got);
            assertThat(got).as("split at %d", split).isEqualTo(stream.frames());
        }
    }

    @Test
    void handsOverAFrameAsSoonAsItIsWhole() throws Exception {
        TestStream stream = new TestStream().frame(7, 5);
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
        ScriptedChannel channel = new ScriptedChannel(stream.bytes(), () -> 1);
        for (int i = 1; i < stream.bytes().length; i++) {
            assertThat(reader.read(channel, (type, body) -> got.add(null))).isEqualTo(1);
            assertThat(got).isEmpty();
            assertThat(reader.pending()).isEqualTo(i);
        }
        reader.read(channel, (type, body) -> got.add(null));
        assertThat(got).hasSize(1);
    }

    @Test
    void growsOnceToWhatTheFrameNeedsAndKeepsThatSize() throws Exception {
        TestStream stream =
                new TestStream().frame(1, 10).frame(2, 500).frame(3, 400).frame(4, 500);
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
        List<Integer> sizes = new ArrayList<>();
        ScriptedChannel channel = new ScriptedChannel(stream.bytes(), () -> 3);
        while (reader.read(channel, (type, body) -> {}) >= 0) {
            if (sizes.isEmpty() || sizes.get(sizes.size() - 1) != reader.capacity()) {
                sizes.add(reader.capacity());
            }
        }
        assertThat(sizes).containsExactly(SMALL_BUFFER, FrameLayout.frameLength(500));
        assertThat(reader.frames()).isEqualTo(4);
    }

    @Test
    void takesABodyOfExactlyTheLimit() throws Exception {
        TestStream stream = new TestStream().frame(1, MAX_BODY).frame(2, 1);
        TestStream.readAll(new FrameReader(SMALL_BUFFER, MAX_BODY), new ScriptedChannel(stream.bytes(), () -> 97), got);
        assertThat(got).isEqualTo(stream.frames());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void refusesANegativeLengthAfterHandingOverWhatCameBefore(int length) {
        TestStream stream = new TestStream().frame(1, 3).frame(2, 0).header(42, length);

        FrameException e = readBroken(stream);

        assertThat(e.reason()).isEqualTo(CloseReason.NEGATIVE_LENGTH);
        assertThat(e).hasMessageContaining("" + length).hasMessageContaining("type 42");
        assertThat(got).isEqualTo(stream.frames());
    }

    @ParameterizedTest
    @ValueSource(ints = {MAX_BODY + 1, Integer.MAX_VALUE})
    void refusesAnOversizedLengthBeforeItAllocatesAnything(int length) {
        TestStream stream = new TestStream().frame(1, 3).header(42, length);
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);

        FrameException e = catchThrowableOfType(
                FrameException.class,
                () -> TestStream.readAll(reader, new ScriptedChannel(stream.bytes(), () -> 5), got));

        assertThat(e.reason()).isEqualTo(CloseReason.OVERSIZED_LENGTH);
        assertThat(e).hasMessageContaining("" + length).hasMessageContaining("limit of " + MAX_BODY);
        assertThat(got).isEqualTo(stream.frames());
        assertThat(reader.frames()).isEqualTo(1);
        assertThat(reader.capacity()).isEqualTo(SMALL_BUFFER);
    }

    @ParameterizedTest
    @ValueSource(ints = {MAX_BODY, 10 * ControlFrames.MAX_CONTROL_BODY})
    void aControlFrameHasALimitOfItsOwn(int maxBody) throws Exception {
        TestStream stream = new TestStream()
                .frame(ControlFrames.FIRST, ControlFrames.MAX_CONTROL_BODY)
                .frame(1, maxBody)
                .header(ControlFrames.LAST, ControlFrames.MAX_CONTROL_BODY + 1);
        FrameReader reader = new FrameReader(SMALL_BUFFER, maxBody);

        FrameException e = catchThrowableOfType(
                FrameException.class,
                () -> TestStream.readAll(reader, new ScriptedChannel(stream.bytes(), () -> 999), got));

        assertThat(e.reason()).isEqualTo(CloseReason.OVERSIZED_LENGTH);
        assertThat(e).hasMessageContaining("16385").hasMessageContaining("limit of 16384");
        assertThat(got).isEqualTo(stream.frames());
    }

    @Test
    void namesAReservedTypeInHexadecimal() {
        assertThat(readBroken(new TestStream().header(ControlFrames.ERROR, -5))).hasMessageContaining("0x80000009");
    }

    @Test
    void tellsAStreamThatEndsInAFrameFromOneThatEndsBetweenTwo() throws Exception {
        byte[] whole = sample().bytes();
        List<Integer> ends = new ArrayList<>(List.of(0));
        for (Frame frame : sample().frames()) {
            ends.add(ends.get(ends.size() - 1)
                    + FrameLayout.frameLength(frame.body().size()));
        }
        for (int length = 0; length <= whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
            got.clear();
            if (ends.contains(length)) {
                TestStream.readAll(reader, new ScriptedChannel(cut, () -> 11), got);
                assertThat(got).isEqualTo(sample().frames().subList(0, ends.indexOf(length)));
            } else {
                assertThatThrownBy(() -> TestStream.readAll(reader, new ScriptedChannel(cut, () -> 11), got))
                        .as("cut to %d bytes", length)
                        .isInstanceOf(EOFException.class)
                        .hasMessageContaining("middle of a frame");
            }
        }
    }

    @Test
    void saysHowMuchOfTheLastFrameIsMissing() {
        byte[] inHeader = new TestStream().raw((byte) 0, (byte) 0, (byte) 0).bytes();
        assertThatThrownBy(() -> TestStream.readAll(new FrameReader(), new ScriptedChannel(inHeader, () -> 9), got))
                .hasMessageContaining("3 of the 8 bytes of a header");
        byte[] behindHeader = new TestStream().header(1, 100).bytes();
        assertThatThrownBy(() -> TestStream.readAll(new FrameReader(), new ScriptedChannel(behindHeader, () -> 9), got))
                .hasMessageContaining("8 of 108 bytes");
        byte[] inBody = new TestStream().header(1, 100).raw(new byte[30]).bytes();
        assertThatThrownBy(() -> TestStream.readAll(new FrameReader(), new ScriptedChannel(inBody, () -> 9), got))
                .hasMessageContaining("38 of 108 bytes");
    }

    @Test
    void theBodyIsABigEndianViewOfJustItsOwnBytes() throws Exception {
        byte[] content = {0, 0, 0, 0, 0, 0, 1, 2};
        TestStream stream = new TestStream().frame(1, content).frame(2, content);
        List<ByteBuffer> views = new ArrayList<>();
        new FrameReader().read(new ScriptedChannel(stream.bytes(), () -> 999), (type, body) -> {
            assertThat(body.remaining()).isEqualTo(8);
            assertThat(body.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
            assertThat(body.isDirect()).isTrue();
            assertThat(body.getLong(body.position())).isEqualTo(0x0102);
            // What a consumer does to position and limit must not matter to the next frame.
            if (type == 1) {
                body.position(body.limit());
                body.clear();
            }
            views.add(body);
        });
        assertThat(views).hasSize(2);
        assertThat(views.get(0)).as("no view per frame").isSameAs(views.get(1));
    }

    @Test
    void aReadThatFindsNothingIsNotTheEnd() throws Exception {
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
        assertThat(reader.read(new ScriptedChannel(new byte[9], () -> 0), (type, body) -> got.add(null)))
                .isZero();
        assertThat(got).isEmpty();
    }

    @Test
    void aConsumerThatThrowsLosesNoLaterFrame() throws Exception {
        TestStream stream = new TestStream().frame(1, 4).frame(2, 4).frame(3, 4);
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
        ScriptedChannel channel = ScriptedChannel.splitAt(stream.bytes(), stream.bytes().length - 1);
        assertThatThrownBy(() -> reader.read(channel, (type, body) -> {
                    throw new IllegalStateException("consumer");
                }))
                .hasMessage("consumer");
        TestStream.readAll(reader, channel, got);
        assertThat(got).isEqualTo(stream.frames().subList(1, 3));
    }

    @Test
    void refusesSizesThatCannotWork() {
        assertThatThrownBy(() -> new FrameReader(7, 1))
                .hasMessageContaining("7")
                .hasMessageContaining("8");
        assertThatThrownBy(() -> new FrameReader(64, -1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> new FrameReader(64, FrameLayout.MAX_MAX_BODY + 1))
                .hasMessageContaining("" + FrameLayout.MAX_MAX_BODY);
        assertThat(new FrameReader(FrameLayout.HEADER_LENGTH, 0).capacity()).isEqualTo(FrameLayout.HEADER_LENGTH);
        assertThat(new FrameReader(64, FrameLayout.MAX_MAX_BODY).capacity()).isEqualTo(64);
    }

    /** Also behind others, which it does not count as its own. */
    @Test
    void aLongFrameHasABufferOfItsLengthAndNoMore() throws Exception {
        TestStream stream = new TestStream().frame(1, 30).frame(2, 500);
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
        TestStream.readAll(reader, new ScriptedChannel(stream.bytes(), () -> 50), got);
        assertThat(got).isEqualTo(stream.frames());
        assertThat(reader.capacity()).isEqualTo(508);
    }

    @RepeatedTest(50)
    void findsEveryFrameOfARandomStreamInRandomPieces() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        TestStream stream = new TestStream();
        for (int i = random.nextInt(200); i > 0; i--) {
            byte[] body = new byte[random.nextInt(random.nextInt(10) == 0 ? MAX_BODY + 1 : 60)];
            random.nextBytes(body);
            stream.frame(random.nextInt(), body);
        }
        int bufferSize = FrameLayout.HEADER_LENGTH + random.nextInt(300);
        int largestPiece = 1 + random.nextInt(500);

        TestStream.readAll(
                new FrameReader(bufferSize, MAX_BODY),
                new ScriptedChannel(stream.bytes(), () -> random.nextInt(largestPiece + 1)),
                got);

        assertThat(got).as("seed %d", seed).isEqualTo(stream.frames());
    }

    /** However many of the frames that are whole a consumer takes at once: each comes once, in its order. */
    @RepeatedTest(50)
    void framesThatAreTakenInBulkAreNotHandedOverAgain() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        TestStream stream = new TestStream();
        for (int i = random.nextInt(200); i > 0; i--) {
            stream.frame(i, random.nextInt(60));
        }
        FrameReader reader = new FrameReader(SMALL_BUFFER + random.nextInt(900), MAX_BODY);
        int largestPiece = 1 + random.nextInt(500);
        BulkFrameConsumer consumer = new BulkFrameConsumer() {
            @Override
            public int onFrames(ByteBuffer source, int from, int to) {
                int at = from;
                for (int i = random.nextInt(4); i > 0 && to - at >= FrameLayout.HEADER_LENGTH; i--) {
                    int end = at + FrameLayout.frameLength(FrameLayout.bodyLength(source, at));
                    if (end > to) {
                        break;
                    }
                    byte[] body = new byte[FrameLayout.bodyLength(source, at)];
                    source.get(at + FrameLayout.HEADER_LENGTH, body);
                    got.add(new Frame(FrameLayout.type(source, at), TestStream.list(body)));
                    at = end;
                }
                return at - from;
            }

            @Override
            public void onFrame(int type, ByteBuffer body) {
                got.add(new Frame(type, TestStream.list(TestStream.copy(body))));
            }
        };
        ScriptedChannel channel = new ScriptedChannel(stream.bytes(), () -> 1 + random.nextInt(largestPiece));
        for (int n = 0; n >= 0; ) {
            n = reader.read(channel, consumer);
        }
        assertThat(got).as("seed %d", seed).isEqualTo(stream.frames());
    }

    private FrameException readBroken(TestStream stream) {
        FrameReader reader = new FrameReader(SMALL_BUFFER, MAX_BODY);
        return catchThrowableOfType(
                FrameException.class,
                () -> TestStream.readAll(reader, new ScriptedChannel(stream.bytes(), () -> 5), got));
    }
}

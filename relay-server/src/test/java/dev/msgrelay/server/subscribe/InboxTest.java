package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.Stranger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Control frames are put together from whatever pieces they come in; what is none is refused as soon as it can be. */
class InboxTest {
    private static final String BEGIN_OTHERS = "\rPGHDOCTS*\u0010\u0016";

    private static final int BUDGET = 64 << 10;

    private final MemoryBudget.Pool pool = pool(BUDGET);
    private final Inbox inbox = new Inbox(pool);
    private final List<ByteBuffer> taken = new ArrayList<>();

    private static MemoryBudget.Pool pool(long bytes) {
        return new MemoryBudget(Map.of(Part.CONTROL, bytes)).pool(Part.CONTROL);
    }

    @AfterEach
    void givesBackWhatItHasReserved() {
        inbox.release();
        assertThat(pool.used()).isZero();
    }

    private boolean note(int type, ByteBuffer body) {
        ByteBuffer frame = ByteBuffer.allocate(8 + body.remaining());
        return taken.add(frame.putInt(type).putInt(body.remaining()).put(body).flip());
    }

    private void take(byte[] bytes, int from, int to) throws FrameException {
        ByteBuf piece = Unpooled.wrappedBuffer(bytes, from, to - from);
        inbox.receive(piece, this::note);
        assertThat(piece.isReadable()).isFalse();
    }

    private static void assertRefused(ThrowingCallable takes, CloseReason reason, String... words) {
        FrameException e = catchThrowableOfType(FrameException.class, takes);
        assertThat(e.reason()).isEqualTo(reason);
        assertThat(e).hasMessageContainingAll(words);
    }

    private static List<ByteBuffer> frames(int... bodies) {
        List<ByteBuffer> frames = new ArrayList<>();
        for (int i = 0; i < bodies.length; i++) {
            frames.add(new Frames().frame(ControlFrames.FIRST + i, bodies[i]).buffer());
        }
        return frames;
    }

    private static byte[] joined(List<ByteBuffer> frames) {
        Frames all = new Frames();
        frames.forEach(f -> all.raw(f.array()));
        return all.bytes();
    }

    /** Without a body, as long as what is kept at first, longer, the limit. */
    private static List<ByteBuffer> ofAllLengths() {
        return frames(0, 1, 8, 247, 248, 249, 0, 0, 5000, 3, ControlFrames.MAX_CONTROL_BODY, 0, 20);
    }

    @Test
    void aByteAtATime() throws Exception {
        List<ByteBuffer> frames = ofAllLengths();
        byte[] bytes = joined(frames);
        int end = 0;
        int next = 0;
        for (int i = 0; i < bytes.length; i++) {
            take(bytes, i, i + 1);
            if (i + 1 == end + frames.get(next).capacity()) {
                end = i + 1;
                next++;
            }
            // Handed on with its last byte, not before and not later.
            assertThat(taken).hasSize(next);
            assertThat(inbox.unfinished()).isEqualTo(i + 1 > end);
        }
        assertThat(taken).isEqualTo(frames);
    }

    @Test
    void splitAtEveryOffset() throws Exception {
        List<ByteBuffer> frames = ofAllLengths();
        byte[] bytes = joined(frames);
        for (int split = 0; split <= bytes.length; split++) {
            taken.clear();
            take(bytes, 0, split);
            take(bytes, split, bytes.length);
            assertThat(taken).as("split at %d", split).isEqualTo(frames);
            assertThat(inbox.unfinished()).isFalse();
        }
    }

    /** Bytes that may begin another protocol wait for those that tell. */
    @Test
    void anotherProtocolIsToldByItsFirstBytes() throws Exception {
        Inbox.Handler named = new Inbox.Handler() {
            @Override
            public boolean onControl(int type, ByteBuffer body) {
                return note(type, body);
            }

            @Override
            public FrameException onStranger(Stranger who, FrameException fault) {
                return new FrameException(CloseReason.UNSUPPORTED, who + ", " + fault.getMessage());
            }
        };
        for (int split = 1; split < 12; split++) {
            Inbox fresh = new Inbox(pool);
            fresh.receive(Unpooled.wrappedBuffer(Strange.proxied(), 0, split), named);
            assertThat(fresh.unfinished()).isTrue();
            ByteBuf rest = Unpooled.wrappedBuffer(Strange.proxied(), split, 28 - split);
            assertRefused(() -> fresh.receive(rest, named), CloseReason.UNSUPPORTED, "PROXY_2, byte 0", "0x0D");
            Inbox almost = new Inbox(pool);
            almost.receive(Unpooled.wrappedBuffer(Strange.proxied(), 0, split), named);
            ByteBuf other = Unpooled.wrappedBuffer(new byte[] {(byte) 0x80});
            assertRefused(() -> almost.receive(other, named), CloseReason.UNEXPECTED_INPUT, "byte 0 ", "0x0D");
        }
        // Behind a frame they are a fault as all others are.
        take(joined(frames(0)), 0, 8);
        byte[] next = Strange.proxied();
        assertRefused(
                () -> inbox.receive(Unpooled.wrappedBuffer(next, 0, 1), named),
                CloseReason.UNEXPECTED_INPUT,
                "byte 0 ");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aWrongByteIsRefusedWhenItComes(int index) throws Exception {
        byte[] start = {(byte) 0x80, 0, 0};
        for (int value = 0; value < 256; value++) {
            if ((byte) value == start[index] || index == 0 && BEGIN_OTHERS.indexOf(value) >= 0) {
                continue;
            }
            Inbox fresh = new Inbox(pool);
            if (index > 0) {
                fresh.receive(Unpooled.wrappedBuffer(start, 0, index), this::note);
            }
            byte[] wrong = {(byte) value};
            assertRefused(
                    () -> fresh.receive(Unpooled.wrappedBuffer(wrong), this::note),
                    CloseReason.UNEXPECTED_INPUT,
                    String.format(Locale.ROOT, "byte %d", index),
                    String.format(Locale.ROOT, "0x%02X", value));
        }
        assertThat(taken).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 16_385, Integer.MAX_VALUE, Integer.MAX_VALUE - 7})
    void aWrongLengthIsRefusedWithTheLastByteOfTheHeader(int length) throws Exception {
        byte[] header = new Frames().header(ControlFrames.HELLO, length).bytes();
        take(header, 0, 7);
        CloseReason reason = length < 0 ? CloseReason.NEGATIVE_LENGTH : CloseReason.OVERSIZED_LENGTH;
        assertRefused(() -> take(header, 7, 8), reason, "" + length);
        assertThat(taken).isEmpty();
    }

    @Test
    void theHandlersRefusalEndsIt() {
        byte[] bytes = joined(frames(4, 4, 4));
        assertRefused(
                () -> inbox.receive(Unpooled.wrappedBuffer(bytes), (type, body) -> {
                    note(type, body);
                    if (taken.size() == 2) {
                        throw new FrameException(CloseReason.PROTOCOL_ORDER, "no");
                    }
                    return true;
                }),
                CloseReason.PROTOCOL_ORDER,
                "no");
        assertThat(taken).hasSize(2);
    }

    @Test
    void theHandlerMayHaveEnough() throws Exception {
        ByteBuf bytes = Unpooled.wrappedBuffer(joined(frames(4, 4, 4)));
        inbox.receive(bytes, (type, body) -> note(type, body) && taken.size() < 2);
        assertThat(taken).hasSize(2);
        assertThat(bytes.readableBytes()).isEqualTo(12);
        assertThat(inbox.unfinished()).isFalse();
    }

    /** A header that announces the longest frame costs nothing; what comes of it does, at most twice as much. */
    @Test
    void memoryIsTakenForWhatHasComeAndNotForWhatIsAnnounced() throws Exception {
        byte[] bytes = new Frames()
                .frame(ControlFrames.FIRST, ControlFrames.MAX_CONTROL_BODY)
                .bytes();
        take(bytes, 0, 8);
        assertThat(pool.used()).isZero();
        for (int at = 8; at < bytes.length - 1; at++) {
            take(bytes, at, at + 1);
            assertThat(pool.used()).isLessThanOrEqualTo(2L * (at + 1));
            assertThat(inbox.unfinished()).isTrue();
        }
        assertThat(pool.used()).isLessThanOrEqualTo(bytes.length);
        take(bytes, bytes.length - 1, bytes.length);
        assertThat(taken).hasSize(1);
        assertThat(pool.used()).as("given back with the frame").isZero();
    }

    @Test
    void whereTheBudgetIsUsedUpItSaysSoAndKeepsNothingMore() throws Exception {
        MemoryBudget.Pool small = pool(2000);
        Inbox one = new Inbox(small);
        byte[] bytes = new Frames().frame(ControlFrames.FIRST, 5000).bytes();
        one.receive(Unpooled.wrappedBuffer(bytes, 0, 700), this::note);
        long used = small.used();
        assertThat(used).isBetween(700L, 1400L);
        assertRefused(
                () -> one.receive(Unpooled.wrappedBuffer(bytes, 700, 4000), this::note),
                CloseReason.MEMORY_LIMIT,
                used + " of 2000 bytes");
        assertThat(small.used()).isEqualTo(used);
        one.release();
        one.release();
        assertThat(small.used()).isZero();
        // Short frames need none of it.
        assertThat(small.tryTake(2000)).isTrue();
        Inbox other = new Inbox(small);
        other.receive(Unpooled.wrappedBuffer(joined(frames(0, 20, 248))), this::note);
        assertThat(taken).hasSize(3);
    }

    /** As one does that ends with the frame it has just been given. */
    @Test
    void itMayBeReleasedByItsHandler() throws Exception {
        inbox.receive(Unpooled.wrappedBuffer(joined(frames(4000, 3))), (type, body) -> {
            inbox.release();
            return false;
        });
        assertThat(pool.used()).isZero();
    }
}

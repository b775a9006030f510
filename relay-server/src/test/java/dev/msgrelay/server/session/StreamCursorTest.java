package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frames are found and read where they lie in the log, also across the borders of its chunks, by a list of all of them. */
class StreamCursorTest {
    private static final int CHUNK = 1024;
    private static final int LOG = 8 * CHUNK;
    private static final int PACKET = 300;

    private record Frame(long position, int type, int length) {}

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final PacketLog log = new PacketLog(allocator, LOG, CHUNK, PACKET, position -> true);
    private final Mark head = new Mark();
    private final List<Frame> frames = new ArrayList<>();

    // Where packets start: the first one that lies in the log as a whole is the oldest that can be had.
    private final List<Long> packets = new ArrayList<>(List.of(0L));

    @AfterEach
    void close() {
        log.close();
        assertThat(allocator.metric().usedDirectMemory()).as("all is let go of").isZero();
    }

    private void append(int type, int body) {
        ByteBuffer frame = new Frames().frame(type, body).nativeBuffer();
        int length = 8 + body;
        if (log.openPacketBytes() > 0 && log.openPacketBytes() + length > PACKET) {
            log.packetStartsAt(0, 0);
            packets.add(log.endPosition());
        }
        frames.add(new Frame(log.endPosition(), type, length));
        log.append(frame, 0, length, 1);
        log.publish();
        log.head().read(head);
    }

    private void append(Random random, int count) {
        for (int i = 0; i < count; i++) {
            // Now and then one that is larger than a packet, and than a chunk.
            int most = i % 20 == 0 ? 2 * CHUNK : i % 7 == 0 ? PACKET : 40;
            append(random.nextInt(1 << 20), random.nextInt(most + 1));
        }
    }

    private long oldest() {
        for (long start : packets) {
            if (start >= log.tail()) {
                for (int i = 0; i < frames.size(); i++) {
                    if (frames.get(i).position() == start) {
                        return i + 1;
                    }
                }
            }
        }
        return head.sequence();
    }

    private long position(long sequence) {
        return sequence == head.sequence()
                ? head.position()
                : frames.get((int) sequence - 1).position();
    }

    @Test
    void everyMessageThatIsHeldIsFound() {
        Random random = Seeds.random("StreamCursorTest");
        for (int round = 0; round < 40; round++) {
            append(random, 1 + random.nextInt(60));
            long oldest = oldest();
            StreamCursor cursor = new StreamCursor(log);
            for (long wanted = StreamCursor.EARLIEST; wanted <= head.sequence(); wanted++) {
                cursor.goTo(wanted, head);
                long expected = Math.max(wanted, oldest);
                assertThat(cursor.boundary().sequence()).as("wanted %d", wanted).isEqualTo(expected);
                assertThat(cursor.position()).as("wanted %d", wanted).isEqualTo(position(expected));
                assertThat(cursor.atBoundary()).isTrue();
                assertThat(cursor.held()).isTrue();
            }
            cursor.pins().releaseAll();
        }
        assertThat(oldest()).as("the log has been written anew").isGreaterThan(1);
    }

    @Test
    void frameByFrameAcrossTheBordersOfChunks() {
        Random random = Seeds.random("StreamCursorTest");
        BitSet cuts = new BitSet();
        // Until all have occurred, which by chance takes a few dozen rounds.
        for (int round = 0; round < 20 || cuts.cardinality() < 7 && round < 2000; round++) {
            append(random, 200);
            StreamCursor cursor = new StreamCursor(log);
            cursor.goTo(StreamCursor.EARLIEST, head);
            assertThat(cursor.pins().hold(cursor.position(), head.position())).isTrue();
            long at = cursor.position();
            for (long s = cursor.boundary().sequence(); s < head.sequence(); s++) {
                Frame frame = frames.get((int) s - 1);
                assertThat(cursor.frames().type(at)).isEqualTo(frame.type());
                assertThat(cursor.frames().length(at)).isEqualTo(frame.length());
                // Behind something else, so that a position that is not respected is noticed.
                ByteBuffer copy = ByteBuffer.allocateDirect(frame.length() + 6).putInt(0, -1);
                cursor.frames().copy(at, frame.length(), copy.position(4));
                assertThat(copy.position()).isEqualTo(4 + frame.length());
                byte[] whole = new byte[frame.length()];
                copy.get(4, whole);
                assertThat(whole)
                        .isEqualTo(new Frames()
                                .frame(frame.type(), frame.length() - 8)
                                .bytes());
                int left = CHUNK - log.offsetInChunk(at);
                if (left < 8) {
                    cuts.set(left);
                }
                at += frame.length();
            }
            assertThat(at).isEqualTo(head.position());
            cursor.pins().releaseAll();
        }
        assertThat(cuts.cardinality())
                .as("headers were cut behind each of their bytes: %s", cuts)
                .isEqualTo(7);
    }

    @Test
    void whatIsHeldEndsWithAFrameAndStaysReadable() {
        Random random = Seeds.random("StreamCursorTest");
        append(random, 30);
        StreamCursor cursor = new StreamCursor(log);
        cursor.goTo(StreamCursor.EARLIEST, head);
        int overtaken = 0;
        int cut = 0;
        for (int step = 0; step < 3000; step++) {
            append(random, random.nextInt(step % 100 == 0 ? 300 : 3));
            long available = head.position() - cursor.position();
            if (available == 0) {
                continue;
            }
            int amount = 1 + random.nextInt((int) Math.min(available, 700));
            if (!cursor.hold(amount, head)) {
                // Only where the log has moved on over it.
                assertThat(cursor.position()).isLessThan(log.tail());
                overtaken++;
                cursor.moved(cursor.restOfFrame());
                cursor.pins().releaseAll();
                cursor.goTo(cursor.boundary().sequence(), head);
                continue;
            }
            long sequence = cursor.boundary().sequence();
            assertThat(cursor.boundary().position())
                    .isEqualTo(position(sequence))
                    .isGreaterThanOrEqualTo(cursor.position() + amount);
            // Whatever comes now: up to there it can be read.
            append(random, random.nextInt(10));
            for (long at = cursor.position(); at < cursor.boundary().position(); at += CHUNK) {
                assertThat(cursor.pins().at(at).memory().refCnt()).isPositive();
            }
            cut += amount < cursor.restOfFrame() ? 1 : 0;
            cursor.moved(amount);
        }
        assertThat(overtaken).isPositive();
        assertThat(cut).isPositive();
        cursor.pins().releaseAll();
    }
}

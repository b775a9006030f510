package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Frames are found and read where they lie in the log, also across the borders of its chunks, by a list of all of them.
 */
class LogReaderTest {
    private static final int CHUNK = 1024;
    private static final int LOG = 8 * CHUNK;
    private static final int PACKET = 300;
    private static final int PINNED = 8;
    private static final int COPIES = 10_000;

    private record Frame(long position, int type, int length) {}

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final PacketLog log =
            new PacketLog(allocator, LOG, CHUNK, PACKET, PINNED, 3 * CHUNK, position -> true, Mark.of(0, 1));
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
        assertThat(log.hasRoom()).isTrue();
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

    private LogReader reader(long sequence) {
        LogReader reader = new LogReader(log);
        reader.seek(sequence, head);
        return reader;
    }

    private long oldest() {
        long oldest = packets.stream()
                .filter(start -> start >= log.tail())
                .findFirst()
                .orElse(head.position());
        return 1 + frames.stream().filter(frame -> frame.position() < oldest).count();
    }

    private long position(long sequence) {
        return sequence == head.sequence()
                ? head.position()
                : frames.get((int) sequence - 1).position();
    }

    @Test
    void everyMessageThatIsHeldIsFound() {
        Random random = Seeds.random("LogReaderTest");
        for (int round = 0; round < 40; round++) {
            append(random, 1 + random.nextInt(60));
            long oldest = oldest();
            LogReader reader = new LogReader(log);
            for (long wanted = LogReader.EARLIEST; wanted <= head.sequence(); wanted++) {
                reader.seek(wanted, head);
                long expected = Math.max(wanted, oldest);
                assertThat(reader.boundary().sequence()).as("wanted %d", wanted).isEqualTo(expected);
                assertThat(reader.position()).as("wanted %d", wanted).isEqualTo(position(expected));
                assertThat(reader.atBoundary()).isTrue();
                assertThat(reader.overtaken()).isFalse();
            }
            reader.release();
        }
        assertThat(oldest()).as("the log has been written anew").isGreaterThan(1);
    }

    @Test
    void frameByFrameAcrossTheBordersOfChunks() {
        Random random = Seeds.random("LogReaderTest");
        BitSet cuts = new BitSet();
        // Until all have occurred, which by chance takes a few dozen rounds.
        for (int round = 0; round < 20 || cuts.cardinality() < 7 && round < 2000; round++) {
            append(random, 200);
            LogReader reader = reader(LogReader.EARLIEST);
            assertThat(reader.pinAhead(LOG, head)).isEqualTo(head.position());
            long at = reader.position();
            for (long s = reader.boundary().sequence(); s < head.sequence(); s++) {
                Frame frame = frames.get((int) s - 1);
                assertThat(reader.frameType(at)).isEqualTo(frame.type());
                assertThat(reader.frameLength(at)).isEqualTo(frame.length());
                // Behind something else, so that a position that is not respected is noticed.
                ByteBuffer copy = ByteBuffer.allocateDirect(frame.length() + 6).putInt(0, -1);
                reader.copy(at, frame.length(), copy.position(4));
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
            reader.release();
        }
        assertThat(cuts.cardinality())
                .as("headers were cut behind each of their bytes: %s", cuts)
                .isEqualTo(7);
    }

    @Test
    void whatIsHeldEndsWithAFrameAndStaysReadable() {
        Random random = Seeds.random("LogReaderTest");
        append(random, 30);
        LogReader reader = reader(LogReader.EARLIEST);
        int overtaken = 0;
        int cut = 0;
        for (int step = 0; step < 3000; step++) {
            append(random, random.nextInt(step % 100 == 0 ? 300 : 3));
            long available = head.position() - reader.position();
            if (available == 0) {
                continue;
            }
            int amount = 1 + random.nextInt((int) Math.min(available, 700));
            if (!reader.pinNext(amount, head)) {
                // Only where the log has moved on over it.
                assertThat(reader.position()).isLessThan(log.tail());
                overtaken++;
                reader.advance(reader.restToBoundary());
                reader.release();
                reader.seek(reader.boundary().sequence(), head);
                continue;
            }
            long sequence = reader.boundary().sequence();
            assertThat(reader.boundary().position())
                    .isEqualTo(position(sequence))
                    .isGreaterThanOrEqualTo(reader.position() + amount);
            // Whatever comes now: up to there it can be read.
            append(random, random.nextInt(10));
            for (long at = reader.position(); at < reader.boundary().position(); at += CHUNK) {
                assertThat(reader.chunkAt(at).memory().refCnt()).isPositive();
            }
            cut += amount < reader.restToBoundary() ? 1 : 0;
            reader.advance(amount);
        }
        assertThat(overtaken).isPositive();
        assertThat(cut).isPositive();
        reader.release();
    }

    @Test
    void whatItHoldsIsToldByTheChunk() {
        append(new Random(1), 60);
        LogReader reader = new LogReader(log);
        assertThat(reader.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        reader.seek(LogReader.EARLIEST, head);
        assertThat(reader.pinnedFrom()).isEqualTo(reader.position() / CHUNK * CHUNK);
        // Moved on to the end of what is held: nothing is held any more.
        assertThat(reader.pinNext(10, head)).isTrue();
        long before = reader.pinnedFrom();
        reader.advance(reader.restToBoundary() - 1);
        assertThat(reader.pinnedFrom()).isEqualTo(before);
        assertThat(reader.atBoundary()).isFalse();
        reader.advance(1);
        assertThat(reader.atBoundary()).isTrue();
        assertThat(reader.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        // What cannot be held any more: whatever is told, nothing stays behind.
        append(new Random(2), 1000);
        assertThat(reader.overtaken()).isTrue();
        assertThat(reader.pinNext(10, head)).isFalse();
        assertThat(reader.pinAhead(10, head)).isEqualTo(-1);
        assertThat(reader.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        reader.moveTo(head);
        assertThat(reader.position()).isEqualTo(head.position());
        assertThat(reader.sequence()).isEqualTo(head.sequence());
    }

    @Test
    void withinAPacketTheNumberIsThatOfItsFirstMessage() {
        append(7, 100);
        append(8, 20);
        append(9, 250);
        LogReader reader = reader(1);
        assertThat(reader.sequence()).isEqualTo(1);
        assertThat(reader.pinNext(110, head)).isTrue();
        // Held to the end of the packet that was cut.
        assertThat(reader.boundary().sequence()).isEqualTo(3);
        reader.advance(110);
        assertThat(reader.sequence()).as("the second message is cut").isEqualTo(1);
        reader.advance(reader.restToBoundary());
        assertThat(reader.sequence()).isEqualTo(3);
    }

    @Test
    void whoSkipsStandsAtTheNextPacketOrAtTheHead() {
        append(new Random(3), 30);
        LogReader reader = reader(1);
        assertThat(reader.pinNext(10, head)).isTrue();
        reader.skipTo(packets.get(2) - 1, head);
        assertThat(reader.position()).isEqualTo(packets.get(2));
        assertThat(reader.boundary().position()).isEqualTo(packets.get(2));
        assertThat(reader.pinnedFrom()).as("what was held is let go of").isEqualTo(LogReader.NOTHING);
        long sequence = reader.sequence();
        assertThat(position(sequence)).isEqualTo(packets.get(2));
        reader.skipTo(head.position(), head);
        assertThat(reader.sequence()).isEqualTo(head.sequence());
        // So long ago that the index knows nothing of it any more.
        append(new Random(4), 5000);
        reader.skipTo(0, head);
        assertThat(reader.position()).isEqualTo(head.position());
        assertThat(reader.sequence()).isEqualTo(head.sequence());
        assertThat(reader.pinNext(0, head)).isTrue();
        reader.release();
    }

    @Test
    void whatWasChosenIsHeldUntilItHasMoved() {
        append(7, 100);
        append(8, 20);
        append(9, 250);
        LogReader reader = reader(1);
        assertThat(reader.pinAhead(1, head)).isEqualTo(136);
        assertThat(reader.boundary().position()).as("it stays").isZero();
        reader.moveBoundary(108, 2);
        assertThat(reader.restToBoundary()).isEqualTo(108);
        reader.advance(107);
        assertThat(reader.pinnedFrom()).isZero();
        reader.advance(1);
        assertThat(reader.sequence()).isEqualTo(2);
        assertThat(reader.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        assertThat(reader.offsetInChunk(CHUNK + 5)).isEqualTo(5);
    }

    @Test
    void toSeekTheNextMessageIsToStandAtTheHead() {
        append(7, 100);
        log.packetStartsAt(0, 0);
        LogReader reader = new LogReader(log);
        assertThat(reader.sequence()).isEqualTo(2);
        reader.seek(1, head);
        reader.seek(2, head);
        assertThat(reader.position()).isEqualTo(108);
        assertThat(reader.sequence()).isEqualTo(2);
        assertThat(reader.pinnedFrom()).isEqualTo(LogReader.NOTHING);
    }

    @Test
    void aReaderThatIsOvertakenWithinWhatItHolds() {
        append(7, 3 * CHUNK / 2);
        append(8, 3 * CHUNK / 2);
        LogReader reader = reader(1);
        assertThat(reader.pinNext(10, head)).isTrue();
        reader.advance(CHUNK + 10);
        append(new Random(5), 400);
        assertThat(reader.overtaken()).isTrue();
        // The first chunk is not needed any more, the second one is still held.
        assertThat(reader.frameType(0)).isEqualTo(7);
        assertThat(reader.pinNext(10, head)).isFalse();
        assertThat(reader.pinAhead(10, head)).isEqualTo(-1);
        assertThat(reader.pinnedFrom()).isLessThan(2 * CHUNK);
        reader.release();
        assertThat(reader.pinnedFrom()).isEqualTo(LogReader.NOTHING);
    }

    /** Also at the very beginning, where there is no chunk before. */
    @Test
    void nothingAheadIsNothingHeldAndNoFailure() {
        log.head().read(head);
        LogReader reader = new LogReader(log);
        assertThat(reader.pinAhead(100, head)).isZero();
        assertThat(reader.pinNext(0, head)).isTrue();
        reader.release();
        append(1, 92);
        reader.moveTo(head);
        assertThat(reader.pinAhead(100, head)).isEqualTo(100);
        reader.release();
    }

    /** Of a subscriber that chose types each message is copied: what that allocates, it allocates for each message. */
    @Test
    void toCopyAMessageAllocatesNothing() {
        append(1, 100);
        LogReader reader = reader(1);
        ByteBuffer target = ByteBuffer.allocateDirect(1000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        reader.copy(0, 108, target);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < COPIES; i++) {
            reader.copy(0, 108, target.clear());
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(COPIES);
        reader.release();
    }
}

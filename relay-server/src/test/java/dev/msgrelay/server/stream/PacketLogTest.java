package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The log holds its newest bytes without holes, leaves to readers what they hold, and knows its packets. */
class PacketLogTest {
    private final LogRig rig = new LogRig();
    private final PacketLog log = rig.log;
    private final Mark head = new Mark();
    private final Mark found = new Mark();

    @AfterEach
    void close() {
        rig.close();
        assertThat(rig.memory()).as("direct memory after close").isZero();
    }

    // ---- bytes across the borders of chunks -----------------------------------------------------------------------

    /** Those of short runs, of such as are longer than a chunk, and of one that ends with its chunk. */
    @ParameterizedTest
    @CsvSource({"77, 77", "100, 2548", "1024, 1"})
    void bytesLieSideBySideAcrossChunks(int first, int next) {
        rig.append(first);
        rig.fillTo(LogRig.LOG - 1, next);
        assertHeld(0, LogRig.LOG - 1);
    }

    @Test
    void theTailFollowsInWholeChunks() {
        rig.fillTo(LogRig.LOG - 1, 100);
        assertThat(log.tail()).isZero();
        rig.append(1);
        assertThat(log.tail()).isEqualTo(LogRig.CHUNK);
        rig.fillTo(10 * LogRig.LOG + 5, 333);
        assertThat(log.tail()).isEqualTo(10L * LogRig.LOG - 3 * LogRig.CHUNK);
        assertHeld(log.tail(), 10L * LogRig.LOG + 5);
    }

    @Test
    void theHeadMovesWithPublishOnly() {
        rig.append(10);
        log.append(new Frames().raw(new byte[20]).nativeBuffer(), 0, 20, 5);
        log.head().read(head);
        assertThat(head.position()).isEqualTo(10);
        assertThat(head.sequence()).isEqualTo(2);
        log.publish();
        log.head().read(head);
        assertThat(head.position()).isEqualTo(30);
        assertThat(head.sequence()).isEqualTo(7);
    }

    @Test
    void theGateIsAskedFromWhereTheLogEnds() {
        try (LogRig gated = new LogRig(8, LogRig.LOG, position -> position <= 500)) {
            gated.append(500);
            assertThat(gated.log.hasRoom()).isTrue();
            gated.append(1);
            assertThat(gated.log.hasRoom()).isFalse();
            assertThat(gated.log.starved()).isFalse();
        }
    }

    @Test
    void aRunThatWasReadToTheEndStaysWhereItIs() {
        rig.append(100);
        ByteBuf end = log.windowAtEnd(200);
        assertThat(end.writerIndex()).isEqualTo(100);
        assertThat(end.writableBytes()).isEqualTo(200);
        for (int i = 0; i < 60; i++) {
            end.writeByte(LogRig.at(100 + i));
        }
        // Ten bytes of it are left over: what comes next is written over them.
        log.append(log.windowAtEnd(1).view(), 100, 50, 1);
        log.publish();
        rig.append(300);
        assertHeld(0, 450);
    }

    @Test
    void theEndOfAChunkIsOfferedAsLongAsThereIsEnoughOfIt() {
        rig.append(LogRig.CHUNK - 50);
        assertThat(log.windowAtEnd(200).writableBytes()).isEqualTo(50);
        assertThat(log.roomInChunk()).isEqualTo(50);
    }

    @Test
    void shapesThatCannotWorkAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PacketLog(rig.allocator, 4096, 1000, 300, 8, 4096, p -> true, Mark.of(0, 1)))
                .withMessageContaining("4096")
                .withMessageContaining("1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PacketLog(rig.allocator, 1024, 1024, 300, 8, 1024, p -> true, Mark.of(0, 1)))
                .withMessageContaining("1024");
    }

    @Test
    void anyNumberOfChunksWillDo() {
        // The command takes --log-size in multiples of a chunk.
        long before = rig.allocator.metric().usedDirectMemory();
        PacketLog three = new PacketLog(
                rig.allocator, 3 * LogRig.CHUNK, LogRig.CHUNK, 300, 8, 3 * LogRig.CHUNK, p -> true, Mark.of(0, 1));
        assertThat(rig.allocator.metric().usedDirectMemory() - before)
                .as("log, pins, in hand")
                .isEqualTo((3 + 8 + 4) * LogRig.CHUNK);
        three.close();
    }

    private void assertHeld(long from, long to) {
        for (long chunkStart = from; chunkStart < to; chunkStart += LogRig.CHUNK) {
            Chunk chunk = log.acquire(chunkStart);
            assertThat(chunk).as("chunk at %d", chunkStart).isNotNull();
            assertThat(rig.matches(chunk, chunkStart, Math.min(to, chunkStart + LogRig.CHUNK)))
                    .as("bytes of the chunk at %d", chunkStart)
                    .isTrue();
            chunk.release();
        }
    }

    // ---- chunks that somebody reads are never written anew; those that nobody reads are ---------------------------

    @Test
    void aChunkThatIsStillToComeOrDroppedIsNotToBeHad() {
        assertThat(log.acquire(LogRig.CHUNK)).isNull();
        assertThat(log.acquire(LogRig.LOG)).isNull();
        rig.fillTo(LogRig.LOG + 1, 100);
        assertThat(log.acquire(0)).isNull();
        assertThat(log.acquire(LogRig.CHUNK - 1)).isNull();
        Chunk oldest = log.acquire(log.tail());
        assertThat(oldest).isNotNull();
        oldest.release();
    }

    @Test
    void aHeldChunkIsSetAsideAndKeepsItsBytes() {
        rig.fillTo(2 * LogRig.CHUNK, 100);
        Chunk held = log.acquire(LogRig.CHUNK);
        long memory = rig.memory();
        for (int round = 1; round <= 5; round++) {
            rig.fillTo((long) round * LogRig.LOG + 2 * LogRig.CHUNK, 123);
            assertThat(rig.matches(held, LogRig.CHUNK, 2 * LogRig.CHUNK))
                    .as("round %d", round)
                    .isTrue();
            assertThat(log.chunksAside()).isEqualTo(1);
        }
        assertThat(rig.memory()).as("all memory was taken at the start").isEqualTo(memory);

        held.release();
        rig.fillTo(8 * LogRig.LOG, 123);
        assertThat(log.chunksAside()).isZero();
        assertThat(rig.memory()).isEqualTo(memory);
        assertThat(log.acquire(LogRig.CHUNK)).isNull();
    }

    @Test
    void twoReadersOfAChunkBothHaveToLetGo() {
        rig.fillTo(LogRig.CHUNK, 100);
        Chunk first = log.acquire(0);
        Chunk second = log.acquire(10);
        assertThat(second).isSameAs(first);
        rig.fillTo(2 * LogRig.LOG, 100);
        first.release();
        rig.fillTo(4 * LogRig.LOG, 100);
        assertThat(rig.matches(second, 0, LogRig.CHUNK)).isTrue();
        assertThat(log.chunksAside()).isEqualTo(1);
        second.release();
        rig.fillTo(5 * LogRig.LOG, 100);
        assertThat(log.chunksAside()).isZero();
    }

    @Test
    void closeLeavesAHeldChunkToItsHolder() {
        rig.fillTo(LogRig.CHUNK, 100);
        Chunk held = log.acquire(0);
        log.close();
        assertThat(rig.memory()).isEqualTo(LogRig.CHUNK);
        assertThat(rig.matches(held, 0, LogRig.CHUNK)).isTrue();
        held.release();
    }

    // ---- from a position to the next frame boundary and its message: what a cut or a skip goes by ------------------

    /** Packets of {@code messages} messages of 20 bytes each. */
    private void packets(int count, int messages) {
        for (int i = 0; i < count; i++) {
            if (log.head().position() > 0) {
                log.packetStartsAt(0, 0);
            }
            for (int m = 0; m < messages; m++) {
                rig.append(20);
            }
        }
        log.head().read(head);
    }

    /** Of three packets of five messages; the last one is open, and its end is the head. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 1, 1, 15",
        "1, 100, 6, 1, 15",
        "99, 100, 6, 1, 15",
        "100, 100, 6, 6, 10",
        "101, 200, 11, 6, 10",
        "201, 300, 16, 11, 5",
        "250, 300, 16, 11, 5",
        "299, 300, 16, 11, 5"
    })
    void whatIsKnownOfAPosition(long position, long boundary, long sequence, long near, long ahead) {
        packets(3, 5);
        assertBoundary(position, boundary, sequence);
        assertThat(log.sequenceNear(position)).isEqualTo(near);
        assertThat(log.messagesFrom(position, head)).isEqualTo(ahead);
    }

    @Test
    void aPacketBehindTheCallersHeadIsNotHandedOut() {
        packets(2, 5);
        Mark before = Mark.of(head.position(), head.sequence());
        packets(3, 5);
        // The caller knows the head of before only: nothing behind it.
        assertThat(log.boundaryAtOrAfter(250, before, found)).isTrue();
        assertThat(found.position()).isEqualTo(before.position());
        assertThat(found.sequence()).isEqualTo(before.sequence());
    }

    @Test
    void theIndexRemembersAtLeastWhatTheLogHolds() {
        packets(400, 2);
        for (long p = log.tail(); p < head.position(); p++) {
            long packet = (p + 39) / 40;
            assertBoundary(p, packet * 40, 2 * packet + 1);
        }
    }

    @Test
    void aMessageLeadsToThePacketThatItLiesIn() {
        packets(3, 5);
        for (int sequence = 1; sequence <= 15; sequence++) {
            assertThat(log.packetOf(sequence, found)).isTrue();
            assertThat(found.position()).isEqualTo((sequence - 1) / 5 * 100);
            assertThat(found.sequence()).isEqualTo((sequence - 1) / 5 * 5 + 1);
        }
        assertThat(log.packetOf(0, found)).isFalse();
        packets(400, 2);
        assertThat(log.packetOf(1, found)).as("long forgotten").isFalse();
        // Its slot is the one that may be under way for the next packet: whatever is there is not believed.
        long oldest = head.sequence();
        while (log.packetOf(oldest - 1, found)) {
            oldest = found.sequence();
        }
        assertThat(head.sequence() - oldest).isEqualTo(2 * (PacketLog.indexCapacity(LogRig.LOG, LogRig.PACKET) - 1));
        assertThat(log.boundaryAtOrAfter(0, head, found)).as("long forgotten").isFalse();
    }

    @Test
    void aPacketThatStartsWithinTheNextRun() {
        rig.append(60);
        log.packetStartsAt(40, 2);
        log.append(ByteBuffer.allocateDirect(100), 0, 100, 5);
        log.publish();
        log.head().read(head);
        assertThat(log.openPacketBytes()).isEqualTo(60);
        assertBoundary(1, 100, 4);
        assertBoundary(101, 160, 7);
    }

    @Test
    void nothingLiesAheadOfTheHeadNorWhatWasDropped() {
        packets(3, 5);
        assertBoundary(300, 300, 16);
        assertThat(log.messagesFrom(300, head)).isZero();
        assertThat(log.messagesFrom(301, head)).isZero();
        packets(400, 2);
        long held = head.sequence() - log.sequenceNear(log.tail());
        assertThat(log.messagesFrom(0, head)).isEqualTo(held).isPositive();
    }

    private void assertBoundary(long position, long boundary, long sequence) {
        assertThat(log.boundaryAtOrAfter(position, head, found)).isTrue();
        assertThat(found.position()).as("boundary at or behind %d", position).isEqualTo(boundary);
        assertThat(found.sequence()).as("its message").isEqualTo(sequence);
    }
}

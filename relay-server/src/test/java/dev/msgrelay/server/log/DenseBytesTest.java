package dev.msgrelay.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log holds its bytes without holes, across the borders of chunks, and the newest of them only. */
class DenseBytesTest {
    private final LogRig rig = new LogRig();
    private final PacketLog log = rig.log;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void bytesLieSideBySideAcrossChunks() {
        rig.fillTo(LogRig.LOG - 1, 77);
        assertHeld(0, LogRig.LOG - 1);
    }

    @Test
    void aRunLongerThanAChunkLiesInSeveral() {
        rig.append(100);
        rig.append(2 * LogRig.CHUNK + 500);
        assertHeld(0, 2 * LogRig.CHUNK + 600);
    }

    @Test
    void aRunThatEndsWithItsChunk() {
        rig.append(LogRig.CHUNK);
        rig.append(1);
        assertHeld(0, LogRig.CHUNK + 1);
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
        Mark head = new Mark();
        rig.append(10);
        log.append(new dev.msgrelay.server.harness.Frames().raw(new byte[20]).nativeBuffer(), 0, 20, 5);
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
        try (LogRig gated = new LogRig(position -> position <= 500)) {
            gated.append(500);
            assertThat(gated.log.makeReady()).isTrue();
            gated.append(1);
            assertThat(gated.log.makeReady()).isFalse();
        }
    }

    @Test
    void aRunThatWasReadToTheEndStaysWhereItIs() {
        rig.append(100);
        ByteBuf end = log.end(50, 200);
        assertThat(end.writerIndex()).isEqualTo(100);
        assertThat(end.writableBytes()).isEqualTo(200);
        for (int i = 0; i < 60; i++) {
            end.writeByte(LogRig.at(100 + i));
        }
        // Ten bytes of it are left over: what comes next is written over them.
        log.append(log.end(0, 1).view(), 100, 50, 1);
        log.publish();
        rig.skip(50);
        rig.append(300);
        assertHeld(0, 450);
    }

    @Test
    void theEndOfAChunkIsOfferedAsLongAsThereIsEnoughOfIt() {
        rig.append(LogRig.CHUNK - 50);
        assertThat(log.end(50, 200).writableBytes()).isEqualTo(50);
        assertThat(log.end(51, 200)).isNull();
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
}

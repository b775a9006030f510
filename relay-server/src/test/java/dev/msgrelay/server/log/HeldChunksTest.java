package dev.msgrelay.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A chunk that somebody reads is never written anew, however far the log moves on; a chunk nobody reads is. */
class HeldChunksTest {
    private final LogRig rig = new LogRig();
    private final PacketLog log = rig.log;

    @AfterEach
    void close() {
        rig.close();
        assertThat(rig.memory()).as("direct memory after close").isZero();
    }

    @Test
    void aDroppedChunkIsNotToBeHad() {
        rig.fillTo(LogRig.LOG + 1, 100);
        assertThat(log.acquire(0)).isNull();
        assertThat(log.acquire(LogRig.CHUNK - 1)).isNull();
        Chunk oldest = log.acquire(log.tail());
        assertThat(oldest).isNotNull();
        oldest.release();
    }

    @Test
    void aChunkThatIsStillToComeIsNotToBeHad() {
        assertThat(log.acquire(LogRig.CHUNK)).isNull();
        assertThat(log.acquire(LogRig.LOG)).isNull();
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
    void whatIsHeldAtTheSameTimeBoundsTheMemory() {
        long memory = rig.memory();
        for (int i = 0; i < 50; i++) {
            Chunk held =
                    log.acquire(log.head().position() - 1 < 0 ? 0 : log.head().position() - 1);
            rig.fillTo(log.head().position() + 2 * LogRig.LOG, 200);
            assertThat(rig.memory()).isEqualTo(memory);
            held.release();
        }
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
}

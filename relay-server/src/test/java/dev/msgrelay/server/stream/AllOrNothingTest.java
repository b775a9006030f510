package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An append is all or nothing: the writer has what it needs in its hand before it begins, or it waits. */
class AllOrNothingTest {
    private static final int CHUNK = LogRig.CHUNK;
    private static final int PINNED = 3;
    private static final int MAX_RUN = 2 * CHUNK + 100;

    private final LogRig rig = new LogRig(PINNED, MAX_RUN, position -> true);
    private final PacketLog log = rig.log;
    private final List<Chunk> held = new ArrayList<>();

    @AfterEach
    void close() {
        held.forEach(Chunk::release);
        rig.close();
        assertThat(rig.memory()).isZero();
    }

    private void holdTheNewest() {
        Chunk chunk = log.acquire(log.endPosition() - 1);
        assertThat(chunk).isNotNull();
        held.add(chunk);
    }

    private void starve() {
        for (int i = 0; i < 100 && log.hasRoom(); i++) {
            rig.append(CHUNK);
            holdTheNewest();
        }
        assertThat(log.starved()).isTrue();
    }

    @Test
    void theMemoryIsTakenAtTheStartAndNeverGrows() {
        int all = LogRig.LOG / CHUNK + PINNED + PacketLog.chunksInHand(MAX_RUN, CHUNK);
        assertThat(rig.memory()).isEqualTo((long) all * CHUNK);
        starve();
        assertThat(rig.memory()).isEqualTo((long) all * CHUNK);
        assertThat(log.chunksAside()).as("held before the writer waits").isEqualTo(PINNED + 1);
    }

    @Test
    void whereReadersHoldMoreThanTheyMayTheWriterWaitsAndNothingIsHalfWritten() {
        starve();
        assertThat(log.hasRoom()).isFalse();
        long end = log.endPosition();
        long last = log.lastSequence();
        long tail = log.tail();
        assertThatIllegalStateException().isThrownBy(() -> rig.append(100)).withMessageContaining("in hand");
        assertThat(log.endPosition()).isEqualTo(end);
        assertThat(log.lastSequence()).isEqualTo(last);
        assertThat(log.tail()).isEqualTo(tail);
        assertThat(log.head().position()).isEqualTo(end);
        // All that readers hold is as it was written.
        for (int i = 0; i < held.size(); i++) {
            assertThat(rig.matches(held.get(i), (long) i * CHUNK, (i + 1L) * CHUNK))
                    .isTrue();
        }
    }

    @Test
    void itGoesOnWhenTheyHaveLetGo() {
        starve();
        // The newest are still in the log: to let go of those frees nothing.
        held.remove(held.size() - 1).release();
        assertThat(log.hasRoom()).isFalse();
        held.remove(0).release();
        assertThat(log.starved()).isFalse();
        assertThat(log.hasRoom()).isTrue();
        rig.append(MAX_RUN);
        assertThat(log.endPosition()).isEqualTo(log.head().position());
    }

    @Test
    void theLongestRunFitsFromEveryPlaceInAChunk() {
        for (int at = 0; at < CHUNK; at += 13) {
            long to = (log.endPosition() / CHUNK + 1) * CHUNK + at;
            while (log.endPosition() < to) {
                rig.append((int) Math.min(MAX_RUN, to - log.endPosition()));
            }
            assertThat(log.hasRoom()).isTrue();
            rig.append(MAX_RUN);
        }
    }

    @Test
    void aLongerRunIsRefusedAsAWhole() {
        assertThatIllegalStateException()
                .isThrownBy(() -> rig.append(MAX_RUN + 1))
                .withMessageContaining((MAX_RUN + 1) + " bytes")
                .withMessageContaining("" + MAX_RUN);
        assertThat(log.endPosition()).isZero();
    }
}

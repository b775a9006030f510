package dev.msgrelay.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An append is all or nothing: the writer has what it needs in its hand before it begins, or it waits. */
class AllOrNothingTest {
    private static final int CHUNK = 1024;
    private static final int CHUNKS = 4;
    private static final int PINNED = 3;
    private static final int MAX_RUN = 2 * CHUNK + 100;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final PacketLog log =
            new PacketLog(allocator, CHUNKS * CHUNK, CHUNK, 300, PINNED, MAX_RUN, position -> allowed(), Mark.of(0, 1));
    private final List<Chunk> held = new ArrayList<>();
    private boolean allowed = true;

    private boolean allowed() {
        return allowed;
    }

    @AfterEach
    void close() {
        held.forEach(Chunk::release);
        log.close();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private static ByteBuffer run(int length) {
        ByteBuffer run = ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
        for (int i = 0; i < length; i++) {
            run.put(i, (byte) (i * 7));
        }
        return run;
    }

    private void append(int length) {
        log.append(run(length), 0, length, 1);
        log.publish();
    }

    /** A reader takes hold of what was written last, as one that stops at that place does. */
    private void holdTheNewest() {
        Chunk chunk = log.acquire(log.endPosition() - 1);
        assertThat(chunk).isNotNull();
        held.add(chunk);
    }

    /** Readers stop at different places until the writer has to wait. */
    private void starve() {
        for (int i = 0; i < 100 && log.makeReady(); i++) {
            append(CHUNK);
            holdTheNewest();
        }
        assertThat(log.starved()).isTrue();
    }

    @Test
    void theMemoryIsTakenAtTheStartAndNeverGrows() {
        int all = CHUNKS + PINNED + PacketLog.chunksInHand(MAX_RUN, CHUNK);
        assertThat(allocator.metric().usedDirectMemory()).isEqualTo((long) all * CHUNK);
        starve();
        assertThat(allocator.metric().usedDirectMemory()).isEqualTo((long) all * CHUNK);
    }

    @Test
    void whereReadersHoldMoreThanTheyMayTheWriterWaitsAndNothingIsHalfWritten() {
        starve();
        assertThat(log.makeReady()).isFalse();
        long end = log.endPosition();
        long last = log.lastSequence();
        long tail = log.tail();
        assertThatIllegalStateException().isThrownBy(() -> append(100)).withMessageContaining("in hand");
        assertThat(log.endPosition()).isEqualTo(end);
        assertThat(log.lastSequence()).isEqualTo(last);
        assertThat(log.tail()).isEqualTo(tail);
        assertThat(log.head().position()).isEqualTo(end);
        // All that readers hold is as it was written.
        for (Chunk chunk : held) {
            for (int i = 0; i < CHUNK; i++) {
                assertThat(chunk.view().get(i)).isEqualTo((byte) (i * 7));
            }
        }
    }

    @Test
    void pinnedAreAsManyAsAreAllowedForBeforeItWaits() {
        starve();
        assertThat(log.chunksAside()).isEqualTo(PINNED + 1);
    }

    @Test
    void itGoesOnWhenTheyHaveLetGo() {
        starve();
        // The newest are still in the log: to let go of those frees nothing.
        held.remove(held.size() - 1).release();
        assertThat(log.makeReady()).isFalse();
        held.remove(0).release();
        assertThat(log.starved()).isFalse();
        assertThat(log.makeReady()).isTrue();
        append(MAX_RUN);
        assertThat(log.endPosition()).isEqualTo(log.head().position());
    }

    @Test
    void theLongestRunFitsFromEveryPlaceInAChunk() {
        for (int at = 0; at < CHUNK; at += 13) {
            long to = (log.endPosition() / CHUNK + 1) * CHUNK + at;
            while (log.endPosition() < to) {
                append((int) Math.min(MAX_RUN, to - log.endPosition()));
            }
            assertThat(log.makeReady()).isTrue();
            append(MAX_RUN);
        }
    }

    @Test
    void aLongerRunIsRefusedAsAWhole() {
        assertThatIllegalStateException()
                .isThrownBy(() -> append(MAX_RUN + 1))
                .withMessageContaining((MAX_RUN + 1) + " bytes")
                .withMessageContaining("" + MAX_RUN);
        assertThat(log.endPosition()).isZero();
    }

    @Test
    void theGateIsAskedToo() {
        allowed = false;
        assertThat(log.makeReady()).isFalse();
        assertThat(log.starved()).isFalse();
        allowed = true;
        assertThat(log.makeReady()).isTrue();
    }
}

package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much fits into the ring: all of its cells, at any place, and not one more. */
class RingRoomTest {
    private static final int CELLS = 16;
    private static final int MAX_RUN = 8 * 64 - 8;

    private final RingRig rig = new RingRig(CELLS, MAX_RUN);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void aRunTakesCellsForItsBytesAndItsHeader() {
        assertThat(FrameRing.cellsOf(1)).isEqualTo(1);
        assertThat(FrameRing.cellsOf(56)).isEqualTo(1);
        assertThat(FrameRing.cellsOf(57)).isEqualTo(2);
        assertThat(FrameRing.cellsOf(120)).isEqualTo(2);
        assertThat(FrameRing.cellsOf(121)).isEqualTo(3);
    }

    @Test
    void aFullRingRefusesAndTakesAgainOnceItIsEmptied() {
        for (int i = 0; i < CELLS; i++) {
            assertThat(rig.publish(RingRig.run(i, 56))).isTrue();
        }
        assertThat(rig.ring.remainingCells()).isZero();
        assertThat(rig.ring.tryClaim(1)).isEqualTo(FrameRing.REFUSED);
        assertThat(rig.poll()).hasSize(CELLS);
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(rig.publish(RingRig.run(99, 56))).isTrue();
        assertThat(rig.poll()).singleElement().satisfies(t -> assertThat(t.bytes())
                .isEqualTo(RingRig.run(99, 56)));
    }

    @Test
    void aRunIsRefusedAsAWholeWhereOnlyAPartOfItFits() {
        rig.publish(RingRig.run(1, MAX_RUN));
        rig.publish(RingRig.run(2, 7 * 64 - 8));
        assertThat(rig.ring.remainingCells()).isEqualTo(1);
        assertThat(rig.ring.tryClaim(57)).isEqualTo(FrameRing.REFUSED);
        assertThat(rig.ring.remainingCells()).isEqualTo(1);
        assertThat(rig.publish(RingRig.run(3, 56))).isTrue();
        assertThat(rig.poll()).extracting(RingRig.Taken::length).containsExactly(MAX_RUN, 7 * 64 - 8, 56);
    }

    @Test
    void thereIsRoomForWhatCouldBeClaimedAndNoMore() {
        assertThat(rig.ring.cells()).isEqualTo(CELLS);
        assertThat(rig.ring.maxRun()).isEqualTo(MAX_RUN);
        rig.publish(RingRig.run(1, MAX_RUN));
        rig.publish(RingRig.run(2, 6 * 64 - 8));
        assertThat(rig.ring.hasRoom(120)).isTrue();
        assertThat(rig.ring.hasRoom(121)).isFalse();
    }

    /** Also in the middle of others: the batch goes on behind it. */
    @Test
    void aClaimThatIsGivenBackIsNothing() {
        byte[] before = RingRig.run(1, 56);
        byte[] behind = RingRig.run(3, 57);
        rig.publish(before);
        long claim = rig.claimAndFill(RingRig.run(2, 150));
        rig.publish(behind);
        rig.ring.abandon(claim, 150);
        // Nothing is asked for it: there need not be room for a run.
        int[] asked = {0};
        rig.ready = () -> ++asked[0] <= 2;
        assertThat(rig.poll())
                .filteredOn(t -> t.length() > 0)
                .extracting(RingRig.Taken::bytes)
                .containsExactly(before, behind);
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(rig.ring.remainingCells()).isEqualTo(CELLS);
    }

    @Test
    void theLongestRunLiesInOnePieceWhereverItStarts() {
        for (int start = 0; start < 3 * CELLS; start++) {
            byte[] run = RingRig.run(start, MAX_RUN);
            assertThat(rig.publish(run)).isTrue();
            assertThat(rig.poll()).singleElement().satisfies(t -> assertThat(t.bytes())
                    .isEqualTo(run));
            // One cell more, so that the next one starts one cell further on.
            rig.publish(RingRig.run(0, 1));
            rig.poll();
        }
    }

    @Test
    void aRunInTheSpareTailLeavesTheFirstCellsAlone() {
        for (int i = 0; i < CELLS - 1; i++) {
            rig.publish(RingRig.run(i, 10));
        }
        rig.poll();
        // Starts in the last cell, goes on in the spare tail; its sequences are those of the first cells, too.
        byte[] inTail = RingRig.run(50, MAX_RUN);
        byte[] next = RingRig.run(51, 56);
        assertThat(rig.publish(inTail)).isTrue();
        assertThat(rig.publish(next)).isTrue();
        assertThat(rig.poll()).extracting(RingRig.Taken::bytes).containsExactly(inTail, next);
    }

    @Test
    void lengthsOutsideTheLimitsAreMisuse() {
        for (int length : new int[] {0, -1, MAX_RUN + 1, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> rig.ring.tryClaim(length))
                    .withMessageContaining(String.valueOf(length))
                    .withMessageContaining("1.." + MAX_RUN);
        }
        assertThat(rig.ring.isEmpty()).isTrue();
    }

    @Test
    void shapesThatCannotWorkAreRefused() {
        ByteBuf memory = Frames.direct(1 << 16);
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new FrameRing(12, 56, memory, null))
                    .withMessageContaining("12")
                    .withMessageContaining("power of two");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new FrameRing(16, 8 * 64 - 7, memory, null))
                    .withMessageContaining("505")
                    .withMessageContaining("1024");
        } finally {
            memory.release();
        }
    }
}

package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** How much fits into the ring, what is handed over at once, and what stays where the handler has no room. */
class RingTest {
    private static final int CELLS = 16;
    private static final int MAX_RUN = 8 * 64 - 8;
    private static final int LONGEST = 1 << 20;

    @AutoClose
    private final RingRig rig = new RingRig(CELLS, MAX_RUN);
    /** Runs in it may be longer than the ring looks ahead. */
    @AutoClose
    private final RingRig wide = new RingRig(1 << 16, LONGEST);

    private int room;

    // ---- room ----------------------------------------------------------------------------------------------------

    @Test
    void aRunTakesCellsForItsBytesAndItsHeader() {
        assertThat(IntStream.of(1, 56, 57, 120, 121).map(FrameRing::cellsOf)).containsExactly(1, 1, 2, 2, 3);
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
        assertThat(rig.poll()).containsExactly(RingRig.run(99, 56));
    }

    @Test
    void aRunIsRefusedAsAWholeWhereOnlyAPartOfItFits() {
        rig.publish(RingRig.run(1, MAX_RUN));
        rig.publish(RingRig.run(2, 7 * 64 - 8));
        assertThat(rig.ring.remainingCells()).isEqualTo(1);
        assertThat(rig.ring.tryClaim(57)).isEqualTo(FrameRing.REFUSED);
        assertThat(rig.ring.remainingCells()).isEqualTo(1);
        assertThat(rig.publish(RingRig.run(3, 56))).isTrue();
        assertThat(rig.pollLengths()).containsExactly(MAX_RUN, 7 * 64 - 8, 56);
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
        room = 2;
        rig.ready = () -> room-- > 0;
        assertThat(rig.poll()).filteredOn(run -> run.length > 0).containsExactly(before, behind);
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(rig.ring.remainingCells()).isEqualTo(CELLS);
    }

    @Test
    void theLongestRunLiesInOnePieceWhereverItStarts() {
        for (int start = 0; start < 3 * CELLS; start++) {
            byte[] run = RingRig.run(start, MAX_RUN);
            assertThat(rig.publish(run)).isTrue();
            assertThat(rig.poll()).containsExactly(run);
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
        assertThat(rig.poll()).containsExactly(inTail, next);
    }

    @Test
    void lengthsOutsideTheLimitsAreMisuse() {
        for (int length : new int[] {0, -1, MAX_RUN + 1, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> rig.ring.tryClaim(length))
                    .withMessageContainingAll("" + length, "1.." + MAX_RUN);
        }
        assertThat(rig.ring.isEmpty()).isTrue();
    }

    @Test
    void shapesThatCannotWorkAreRefused() {
        ByteBuf memory = Frames.direct(1 << 16);
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new FrameRing(12, 56, memory, null))
                    .withMessageContainingAll("12", "power of two");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new FrameRing(16, 8 * 64 - 7, memory, null))
                    .withMessageContainingAll("505", "1024");
        } finally {
            memory.release();
        }
    }

    // ---- batches -------------------------------------------------------------------------------------------------

    @Test
    void aClaimThatIsNotPublishedIsNotHandedOverNorAnythingBehindIt() {
        byte[] slow = RingRig.run(2, 200);
        rig.publish(RingRig.run(1, 40));
        long claim = rig.claimAndFill(slow);
        rig.publish(RingRig.run(3, 40));
        assertThat(rig.poll()).containsExactly(RingRig.run(1, 40));
        assertThat(rig.poll()).isEmpty();
        assertThat(rig.ring.hasNext()).isFalse();
        assertThat(rig.ring.isEmpty()).isFalse();
        rig.ring.publish(claim, slow.length, 0);
        assertThat(rig.ring.hasNext()).isTrue();
        assertThat(rig.poll()).containsExactly(slow, RingRig.run(3, 40));
        assertThat(rig.ring.isEmpty()).isTrue();
    }

    @Test
    void aBatchEndsBeforeARunThatStartsBeyondTheLookAhead() {
        byte[] fill = RingRig.run(1, FrameRing.MAX_CELLS * FrameRing.CELL_BYTES - FrameRing.HEADER_BYTES);
        wide.publish(fill);
        wide.publish(RingRig.run(2, 3 * FrameRing.CELL_BYTES));
        assertThat(wide.poll()).containsExactly(fill);
        assertThat(wide.poll()).hasSize(1);
    }

    @Test
    void aRunLongerThanTheLookAheadIsHandedOverAllTheSame() {
        byte[] small = RingRig.run(1, 40);
        byte[] huge = RingRig.run(2, LONGEST - 64);
        assertThat(FrameRing.cellsOf(huge.length)).isGreaterThan(FrameRing.MAX_CELLS);
        for (int round = 0; round < 4; round++) {
            wide.publish(small);
            wide.publish(huge);
            wide.publish(small);
            List<byte[]> got = new ArrayList<>();
            // Three batches at most; a poll that brings nothing would be the end of the ring's life.
            while (got.size() < 3) {
                List<byte[]> batch = wide.poll();
                assertThat(batch).as("batch after " + got.size() + " runs").isNotEmpty();
                got.addAll(batch);
            }
            assertThat(got).containsExactly(small, huge, small);
            assertThat(wide.ring.isEmpty()).isTrue();
        }
    }

    @Test
    void aRunLongerThanTheLookAheadWaitsUntilAllOfItIsPublished() {
        byte[] huge = RingRig.run(2, LONGEST - 64);
        long claim = wide.claimAndFill(huge);
        assertThat(wide.poll()).isEmpty();
        wide.ring.publish(claim, huge.length, 0);
        assertThat(wide.poll()).containsExactly(huge);
    }

    // ---- runs that the handler cannot take stay in the ring, in their order, and the ring fills ------------------

    @Test
    void aHeldRunIsHandedOverOnceThereIsRoom() {
        rig.ready = () -> room > 0;
        rig.publish(RingRig.run(1, 100));
        assertThat(rig.ring.poll(rig.recorder)).isFalse();
        assertThat(rig.ring.refused()).isTrue();
        assertThat(rig.ring.isEmpty()).isFalse();
        assertThat(rig.poll()).as("nothing was handed over").isEmpty();
        room = 1;
        assertThat(rig.poll()).containsExactly(RingRig.run(1, 100));
        assertThat(rig.ring.poll(rig.recorder)).isFalse();
        assertThat(rig.ring.refused()).isFalse();
    }

    @Test
    void theRunsBeforeAHeldOneGiveTheirRoomBack() {
        room = 2;
        rig.ready = () -> room-- > 0;
        for (int length : new int[] {10, 20, 150, 10}) {
            rig.publish(RingRig.run(1, length));
        }
        assertThat(rig.ring.poll(rig.recorder)).isTrue();
        assertThat(rig.ring.refused()).isTrue();
        assertThat(rig.taken).extracting(run -> run.length).containsExactly(10, 20);
        assertThat(rig.ring.consumed().get()).as("the end of the run before").isEqualTo(1);
        rig.taken.clear();
        rig.ready = () -> true;
        assertThat(rig.pollLengths()).containsExactly(150, 10);
    }

    @Test
    void whatWaitsKeepsItsRoomInTheRing() {
        rig.ready = () -> false;
        List<byte[]> accepted = new ArrayList<>();
        while (rig.publish(RingRig.run(accepted.size(), 100))) {
            accepted.add(RingRig.run(accepted.size(), 100));
            assertThat(rig.poll()).isEmpty();
        }
        assertThat(accepted).hasSize(8);
        rig.ready = () -> true;
        assertThat(rig.poll()).containsExactlyElementsOf(accepted);
    }
}

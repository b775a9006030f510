package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.core.RingRig.Taken;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is handed over at once. */
class RingBatchesTest {
    private static final int CELLS = 1 << 16;
    private static final int MAX_RUN = 1 << 20;

    private final RingRig rig = new RingRig(CELLS, MAX_RUN);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void allThatHasGathered() {
        for (int i = 0; i < 5; i++) {
            rig.publish(RingRig.run(i, 30 + i * 100));
        }
        assertThat(rig.poll()).hasSize(5);
        assertThat(rig.poll()).isEmpty();
    }

    @Test
    void aSingleRunIsABatch() {
        rig.publish(RingRig.run(1, 1000));
        assertThat(rig.poll()).hasSize(1);
    }

    @Test
    void nothingThereNothingHandedOver() {
        assertThat(rig.ring.poll(rig.recorder)).isEqualTo(FrameRing.Polled.NOTHING);
        assertThat(rig.taken).isEmpty();
    }

    @Test
    void aClaimThatIsNotPublishedIsNotHandedOverNorAnythingBehindIt() {
        rig.publish(RingRig.run(1, 40));
        byte[] slow = RingRig.run(2, 200);
        long claim = rig.claimAndFill(slow);
        rig.publish(RingRig.run(3, 40));

        List<Taken> first = rig.poll();
        assertThat(first).hasSize(1);
        assertThat(first.get(0).bytes()).isEqualTo(RingRig.run(1, 40));
        assertThat(rig.poll()).isEmpty();
        assertThat(rig.ring.isEmpty()).isFalse();

        rig.ring.publish(claim, slow.length, 0);
        List<Taken> rest = rig.poll();
        assertThat(rest).hasSize(2);
        assertThat(rest.get(0).bytes()).isEqualTo(slow);
        assertThat(rest.get(1).bytes()).isEqualTo(RingRig.run(3, 40));
        assertThat(rig.ring.isEmpty()).isTrue();
    }

    @Test
    void aBatchEndsBeforeARunThatStartsBeyondTheLookAhead() {
        int fill = FrameRing.MAX_CELLS * FrameRing.CELL_BYTES - FrameRing.HEADER_BYTES;
        rig.publish(RingRig.run(1, fill));
        rig.publish(RingRig.run(2, 3 * FrameRing.CELL_BYTES));
        assertThat(rig.poll()).extracting(Taken::length).containsExactly(fill);
        assertThat(rig.poll()).hasSize(1);
    }

    @Test
    void aRunLongerThanTheLookAheadIsHandedOverAllTheSame() {
        byte[] small = RingRig.run(1, 40);
        byte[] huge = RingRig.run(2, MAX_RUN - 64);
        assertThat(FrameRing.cellsOf(huge.length)).isGreaterThan(FrameRing.MAX_CELLS);
        for (int round = 0; round < 4; round++) {
            rig.publish(small);
            rig.publish(huge);
            rig.publish(small);
            List<Taken> got = new ArrayList<>();
            // Three batches at most; a poll that brings nothing would be the end of the ring's life.
            while (got.size() < 3) {
                List<Taken> batch = rig.poll();
                assertThat(batch).as("batch after " + got.size() + " runs").isNotEmpty();
                got.addAll(batch);
            }
            assertThat(got).extracting(Taken::bytes).containsExactly(small, huge, small);
            assertThat(rig.ring.isEmpty()).isTrue();
        }
    }

    @Test
    void aRunLongerThanTheLookAheadWaitsUntilAllOfItIsPublished() {
        byte[] huge = RingRig.run(2, MAX_RUN - 64);
        long claim = rig.claimAndFill(huge);
        assertThat(rig.poll()).isEmpty();
        rig.ring.publish(claim, huge.length, 0);
        assertThat(rig.poll()).singleElement().satisfies(t -> assertThat(t.bytes())
                .isEqualTo(huge));
    }
}

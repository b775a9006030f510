package dev.msgrelay.server.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.ring.RingRig.Taken;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lent run is taken from the producer's memory, at once or not at all. */
class LentRunsTest {
    private final RingRig rig = new RingRig(8, 200);
    private final RunScan scan = new RunScan(1460, 1000);
    // Longer than any claim: a lent run needs one cell, whatever its length.
    private final ByteBuffer source = RingRig.direct(RingRig.run(7, 5000));

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void itIsHandedOverFromWhereItLies() {
        assertThat(rig.ring.tryLend(source, 100, 4000, scan, 0)).isTrue();
        byte[] expected = new byte[4000];
        source.get(100, expected);
        assertThat(rig.poll()).singleElement().satisfies(t -> {
            assertThat(t.bytes()).isEqualTo(expected);
            assertThat(t.endOfBatch()).isTrue();
        });
        assertThat(rig.ring.isEmpty()).isTrue();
    }

    @Test
    void itIsRefusedWhileSomethingOlderWaits() {
        rig.publish(RingRig.run(1, 50));
        assertThat(rig.ring.tryLend(source, 0, 4000, scan, 0)).isFalse();
        rig.publish(RingRig.run(2, 50));
        // Nothing of it was handed over: the cell that it had claimed is skipped.
        assertThat(rig.poll().stream().filter(t -> t.length() > 0).map(Taken::bytes))
                .containsExactly(RingRig.run(1, 50), RingRig.run(2, 50));
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(rig.ring.tryLend(source, 0, 4000, scan, 0)).isTrue();
        assertThat(rig.poll()).extracting(Taken::length).containsExactly(4000);
    }

    @Test
    void itIsRefusedWhileSomethingOlderIsClaimedButNotPublished() {
        byte[] older = RingRig.run(1, 50);
        long claim = rig.claimAndFill(older);
        assertThat(rig.ring.tryLend(source, 0, 4000, scan, 0)).isFalse();
        assertThat(rig.poll()).isEmpty();
        rig.ring.publish(claim, older.length);
        assertThat(rig.poll().stream().filter(t -> t.length() > 0).map(Taken::bytes))
                .containsExactly(older);
    }

    @Test
    void itIsRefusedByAFullRing() {
        for (int i = 0; i < 8; i++) {
            rig.publish(RingRig.run(i, 10));
        }
        assertThat(rig.ring.tryLend(source, 0, 4000, scan, 0)).isFalse();
        assertThat(rig.poll()).hasSize(8);
    }

    @Test
    void onceLentItIsTakenEvenIfTheHandlerWouldHoldOthers() {
        // Its producer has asked before it lent, and will use the memory anew right after.
        assertThat(rig.ring.tryLend(source, 0, 4000, scan, 0)).isTrue();
        rig.canTake = () -> false;
        assertThat(rig.poll()).extracting(Taken::length).containsExactly(4000);
        assertThat(rig.poller.held()).isFalse();
    }
}

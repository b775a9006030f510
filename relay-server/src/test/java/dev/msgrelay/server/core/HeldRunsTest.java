package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.core.RingRig.Taken;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs that the handler cannot take stay in the ring, in their order, and the ring fills. */
class HeldRunsTest {
    private final RingRig rig = new RingRig(16, 200);
    private int room;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void aHeldRunIsHandedOverOnceThereIsRoom() {
        rig.ready = () -> room > 0;
        rig.publish(RingRig.run(1, 100));
        assertThat(rig.ring.poll(rig.recorder)).isEqualTo(FrameRing.Polled.HELD);
        assertThat(rig.ring.isEmpty()).isFalse();
        assertThat(rig.poll()).as("nothing was handed over").isEmpty();
        room = 1;
        assertThat(rig.poll()).singleElement().satisfies(t -> assertThat(t.bytes())
                .isEqualTo(RingRig.run(1, 100)));
        assertThat(rig.ring.poll(rig.recorder)).isEqualTo(FrameRing.Polled.NOTHING);
    }

    @Test
    void theRunsBeforeAHeldOneGiveTheirRoomBack() {
        room = 2;
        rig.ready = () -> room-- > 0;
        rig.publish(RingRig.run(1, 10));
        rig.publish(RingRig.run(2, 20));
        rig.publish(RingRig.run(3, 150));
        rig.publish(RingRig.run(4, 10));

        assertThat(rig.ring.poll(rig.recorder)).isEqualTo(FrameRing.Polled.SOME_THEN_HELD);
        assertThat(rig.taken).extracting(Taken::length).containsExactly(10, 20);
        assertThat(rig.ring.consumed().get()).as("the end of the run before").isEqualTo(1);
        rig.taken.clear();

        rig.ready = () -> true;
        assertThat(rig.poll()).extracting(Taken::length).containsExactly(150, 10);
    }

    @Test
    void whatWaitsKeepsItsRoomInTheRing() {
        rig.ready = () -> false;
        int accepted = 0;
        while (rig.publish(RingRig.run(accepted, 100))) {
            accepted++;
            assertThat(rig.poll()).isEmpty();
        }
        assertThat(accepted).isEqualTo(8);
        rig.ready = () -> true;
        List<Taken> all = rig.poll();
        assertThat(all).hasSize(8);
        for (int i = 0; i < 8; i++) {
            assertThat(all.get(i).bytes()).isEqualTo(RingRig.run(i, 100));
        }
    }
}

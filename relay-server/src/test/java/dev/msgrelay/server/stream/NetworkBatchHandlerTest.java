package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From the ring into the log: the head moves at the end of a batch, messages are numbered, packets hold one MTU. */
class NetworkBatchHandlerTest {
    @AutoClose
    private final OrderRig rig = new OrderRig(4096);

    @Test
    void endOfBatchMovesTheHeadAndNothingBeforeDoes() {
        rig.publish(new Frames().frame(1, 10));
        rig.publish(new Frames().frame(2, 10).frame(3, 10));
        rig.publish(new Frames().frame(4, 10));
        rig.poll();
        assertThat(rig.heads).containsExactly(0L, 0L, 0L);
        assertThat(rig.head().position()).isEqualTo(4 * 18L);
        assertThat(rig.head().sequence()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {OrderRig.PACKET - 9, OrderRig.PACKET - 8, OrderRig.PACKET - 7, 5000, OrderRig.MAX_BODY})
    void framesOfAboutAPacketAndMore(int body) {
        Frames all = new Frames();
        for (int i = 0; i < 6; i++) {
            rig.publish(new Frames().frame(i, body));
            all.frame(i, body);
            rig.poll();
        }
        assertThat(rig.bytes()).isEqualTo(all.bytes());
        for (int i = 0; i < 6; i++) {
            assertMark(rig.packetAtOrAfter((long) i * (8 + body)), (long) i * (8 + body), i + 1);
        }
        assertMark(rig.packetAtOrAfter(1), 8 + body, 2);
    }

    @Test
    void randomRunsAreDenseAndInOrder() {
        Random random = Seeds.random("NetworkBatchHandlerTest");
        Frames all = new Frames();
        int type = 0;
        int messages = 0;
        while (all.size() < 400_000) {
            Frames run = new Frames();
            int body = length(random);
            boolean alike = random.nextBoolean();
            for (int i = random.nextInt(alike ? 11 : 20); i >= 0; i--) {
                body = alike ? body : length(random);
                type += alike && run.size() > 0 ? 0 : 1;
                run.frame(type, body);
                all.frame(type, body);
                messages++;
            }
            while (rig.ring.remainingCells() < run.size() / 64 + 2) {
                rig.poll();
            }
            rig.publish(run, alike ? 8 + body : 0);
            if (random.nextInt(5) == 0) {
                rig.poll();
            }
        }
        while (!rig.ring.isEmpty()) {
            rig.poll();
        }
        assertThat(rig.bytes()).isEqualTo(all.bytes());
        assertThat(rig.head().sequence()).isEqualTo(messages + 1);
        // Every packet starts where it would if all of it were walked at once.
        ReferenceScan whole = new ReferenceScan(all.bytes(), all.size(), 0, OrderRig.PACKET, OrderRig.MAX_BODY);
        for (int k = 0; k < whole.packetEnds.size(); k++) {
            int before = k == 0 ? 0 : whole.packetEnds.get(k - 1);
            assertMark(rig.packetAtOrAfter(before + 1), whole.packetEnds.get(k), whole.framesBefore.get(k) + 1);
        }
    }

    private static int length(Random random) {
        return random.nextInt(random.nextInt(20) == 0 ? 5000 : 200);
    }

    @Test
    void ofARunThatIsNotWholeFramesOnlyTheWholeOnesAreRelayedAndTheRingGoesOn() {
        rig.publish(new Frames().frame(1, 10).header(2, 50));
        rig.publish(new Frames().frame(3, 7));
        assertThat(rig.poll()).isTrue();
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(rig.bytes()).isEqualTo(new Frames().frame(1, 10).frame(3, 7).bytes());
        assertThat(rig.head().sequence()).isEqualTo(3);
    }

    private static void assertMark(Mark mark, long position, long sequence) {
        assertThat(mark.position()).isEqualTo(position);
        assertThat(mark.sequence()).isEqualTo(sequence);
    }
}

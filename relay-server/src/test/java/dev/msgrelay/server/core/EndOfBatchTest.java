package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.PacketLog;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The head moves at the end of a batch, and nowhere else: also where the gate refuses in the middle of one. */
class EndOfBatchTest {
    private static final int FRAME = OrderRig.WINDOW;

    private final OrderRig rig = new OrderRig();
    private final Order order = rig.order;
    private final PacketLog log = rig.log;
    // The place of a subscriber that holds the publishers back: it has read all that it sees.
    private long reader;

    @AfterEach
    void close() {
        rig.close();
    }

    private void publish(int type) {
        rig.publish(new Frames().frame(type, FRAME - 8));
    }

    private void readInPlace(int type) {
        rig.readInPlace(new Frames().frame(type, FRAME - 8));
    }

    /** One cycle of the core, and the reader gets what it sees; returns how much that is. */
    private long cycle() {
        order.drain();
        assertThat(log.head().position()).as("all that is packed").isEqualTo(log.endPosition());
        reader = log.head().position();
        return reader;
    }

    @Test
    void theGateRefusesInTheMiddleOfABatch() {
        rig.gate.add(() -> reader);
        for (int i = 0; i < 7; i++) {
            publish(i);
        }
        assertThat(cycle()).as("the window, and one run").isEqualTo(2 * FRAME);
        assertThat(rig.ring.hasNext()).isTrue();
        assertThat(cycle()).isEqualTo(4 * FRAME);
        assertThat(cycle()).isEqualTo(6 * FRAME);
        assertThat(cycle()).isEqualTo(7 * FRAME);
        assertThat(order.isEmpty()).isTrue();
    }

    @Test
    void theGateRefusesBehindWhatWasReadInPlace() {
        rig.gate.add(() -> reader);
        readInPlace(1);
        assertThat(order.makeReady()).isTrue();
        readInPlace(2);
        assertThat(order.makeReady()).isFalse();
        publish(3);
        assertThat(log.head().position()).as("in the middle of a batch").isZero();
        assertThat(cycle()).isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(3 * FRAME);
    }

    @Test
    void theGateRefusesWhatHasGatheredInAStage() {
        rig.gate.add(() -> reader);
        for (int i = 0; i < 2; i++) {
            RunStage stage = rig.stage();
            assertThat(stage.put(1, ByteBuffer.allocate(FRAME - 8), FRAME - 8)).isTrue();
        }
        readInPlace(2);
        assertThat(cycle()).as("one of the stages").isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(3 * FRAME);
        assertThat(order.isEmpty()).isTrue();
    }

    @Test
    void readsInPlaceRunsOfTheRingAndStagesAreOneBatch() {
        RunStage stage = rig.stage();
        readInPlace(1);
        assertThat(stage.put(2, ByteBuffer.allocate(FRAME - 8), FRAME - 8)).isTrue();
        assertThat(log.head().position()).isZero();
        assertThat(cycle()).isEqualTo(2 * FRAME);
        readInPlace(3);
        publish(4);
        assertThat(log.head().position()).isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(4 * FRAME);
    }

    /** Once a batch, from its first message to the end, however many runs are in it. */
    @Test
    void theTimeOfABatchIsCounted() {
        readInPlace(1);
        rig.nanos += 30_000;
        publish(2);
        cycle();
        rig.nanos += 12_000;
        order.handedOver();
        cycle();
        order.handedOver();
        assertThat(rig.nanosOfBatches).containsExactly(42_000L);
        publish(3);
        cycle();
        rig.nanos += 8_000;
        order.handedOver();
        assertThat(rig.nanosOfBatches).containsExactly(42_000L, 8_000L);
    }

    /** A claim that a producer has given up is no run. */
    @Test
    void anAbandonedClaimIsPassedOver() {
        long claim = rig.ring.tryClaim(200);
        publish(1);
        rig.ring.abandon(claim, 200);
        assertThat(cycle()).isEqualTo(FRAME);
        assertThat(order.isEmpty()).isTrue();
    }
}

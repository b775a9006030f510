package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.msgrelay.server.harness.Frames;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Ring, stages and the core's own spans become one order; what waits is known before the core sleeps. */
class OrderTest {
    private static final int FRAME = OrderRig.WINDOW;

    @AutoClose
    private final OrderRig rig = new OrderRig();

    private final NetworkBatchHandler handler = rig.handler;
    private final PacketLog log = rig.log;
    // The place of a subscriber that holds the publishers back: it has read all that it sees.
    private long reader;

    private static void put(RunStage stage, int type) {
        assertThat(stage.put(type, ByteBuffer.allocate(10), 10)).isTrue();
    }

    private void publish(int type, int body) {
        rig.publish(new Frames().frame(type, body));
    }

    @Test
    void whatFailsWhileASpanIsPackedEndsTheOrder() {
        assertThatNullPointerException().isThrownBy(() -> handler.append(null));
        assertThat(handler.hasRoom()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(handler::drain)
                .withMessageContaining("in doubt")
                .withCauseInstanceOf(NullPointerException.class);
    }

    @Test
    void aBatchEndsAndSaysThatThereIsMore() {
        for (int i = 0; i < 4; i++) {
            publish(i, 50_000);
        }
        // 2,048 cells are a batch.
        assertThat(handler.drain()).isTrue();
        assertThat(log.lastSequence()).isEqualTo(3);
        assertThat(log.head().position()).isEqualTo(3 * 50_008);
        assertThat(handler.pending()).isTrue();
        assertThat(handler.drain()).isFalse();
        assertThat(log.lastSequence()).isEqualTo(4);
        assertThat(handler.pending()).isFalse();
    }

    @Test
    void stagesAreTakenWhenTheRingHasRunDry() {
        RunStage stage = rig.stage();
        put(stage, 1);
        put(stage, 2);
        publish(3, 10);
        assertThat(handler.isEmpty()).isFalse();
        assertThat(handler.pending()).isTrue();
        handler.drain();
        assertThat(log.lastSequence()).as("the ring first").isEqualTo(1);
        handler.drain();
        assertThat(log.lastSequence()).isEqualTo(3);
        assertThat(log.head().position()).isEqualTo(54);
        assertThat(handler.isEmpty()).isTrue();
        assertThat(handler.pending()).isFalse();
        assertThat(handler.sleepNanos()).as("a put may be under way").isEqualTo(RunStage.MOMENT_NANOS);
        rig.nanos += RunStage.MOMENT_NANOS - 1;
        assertThat(handler.sleepNanos()).isEqualTo(RunStage.MOMENT_NANOS);
        rig.nanos++;
        assertThat(handler.sleepNanos()).as("until it is woken").isZero();
    }

    /** Also where nothing is in the ring: the core does not sleep, and if it does, not for long. */
    @Test
    void whatGathersInAStageIsPending() {
        RunStage stage = rig.stage();
        assertThat(handler.pending()).isFalse();
        assertThat(handler.sleepNanos()).isZero();
        put(stage, 1);
        assertThat(handler.isEmpty()).isFalse();
        assertThat(handler.pending()).isTrue();
        assertThat(handler.sleepNanos()).isPositive();
        assertThat(handler.drain()).as("nothing more in the ring").isFalse();
        assertThat(log.lastSequence()).isEqualTo(1);
        assertThat(handler.pending()).isFalse();
    }

    @Test
    void whatIsDroppedIsInTheOrderNoMore() {
        RunStage stage = rig.stage();
        put(stage, 1);
        handler.stages().forEach(RunStage::drop);
        assertThat(handler.isEmpty()).isTrue();
        assertThat(stage.put(2, ByteBuffer.allocate(1), 1)).isFalse();
        handler.drain();
        assertThat(log.lastSequence()).isZero();
        assertThat(handler.stages()).isEmpty();
    }

    @Test
    void aRingThatNeverRunsDryDoesNotStarveTheStages() {
        RunStage stage = rig.stage();
        put(stage, 1);
        int rounds = 0;
        while (stage.waiting()) {
            publish(2, 10);
            handler.drain();
            assertThat(++rounds).isLessThanOrEqualTo(256);
        }
        assertThat(rounds).isEqualTo(256);
    }

    @Test
    void whoHasEndedIsForgottenWithWhatItHasLeft() {
        RunStage one = rig.stage();
        RunStage two = rig.stage();
        put(one, 1);
        put(two, 2);
        assertThat(handler.stages()).hasSize(2);
        one.close();
        handler.drain();
        handler.drain();
        assertThat(log.lastSequence()).isEqualTo(2);
        assertThat(handler.isEmpty()).as("a put may be under way").isFalse();
        assertThat(handler.sleepNanos()).isEqualTo(RunStage.MOMENT_NANOS);
        assertThat(handler.stages()).hasSize(2);
        forget();
        assertThat(handler.stages()).hasSize(1);
        handler.stages().forEach(RunStage::close);
        handler.drain();
        forget();
        assertThat(handler.stages()).isEmpty();
        assertThat(two.put(3, ByteBuffer.allocate(1), 1)).isFalse();
        assertThat(handler.isEmpty()).isTrue();
    }

    private void forget() {
        rig.nanos += RunStage.MOMENT_NANOS - 1;
        int before = handler.stages().size();
        handler.drain();
        assertThat(handler.stages()).hasSize(before);
        rig.nanos++;
        handler.drain();
    }

    /** While readers hold the log back, what waits in the ring is no reason to stay awake. */
    @Test
    void whatMayNotGoOnIsNotPending() {
        rig.gate.add(() -> reader);
        for (int i = 0; i < 3; i++) {
            publish(i, 992);
        }
        put(rig.stage(), 7);
        assertThat(handler.drain()).isFalse();
        assertThat(log.lastSequence()).as("the window, and one run").isEqualTo(2);
        assertThat(handler.hasRoom()).isFalse();
        assertThat(handler.isEmpty()).isFalse();
        assertThat(handler.pending()).isFalse();
        assertThat(handler.sleepNanos()).as("until it is woken").isZero();
        reader = 2000;
        assertThat(handler.pending()).isTrue();
        handler.drain();
        handler.drain();
        assertThat(log.lastSequence()).isEqualTo(4);
        assertThat(handler.isEmpty()).isTrue();
    }

    // ---- the head moves at the end of a batch, and nowhere else: also where the gate refuses in the middle of one
    // ----

    private void publishFrame(int type) {
        publish(type, FRAME - 8);
    }

    private void readInPlace(int type) {
        rig.readInPlace(new Frames().frame(type, FRAME - 8));
    }

    /** One cycle of the core, and the reader gets what it sees; returns how much that is. */
    private long cycle() {
        handler.drain();
        assertThat(log.head().position()).as("all that is packed").isEqualTo(log.endPosition());
        reader = log.head().position();
        return reader;
    }

    @Test
    void theGateRefusesInTheMiddleOfABatch() {
        rig.gate.add(() -> reader);
        for (int i = 0; i < 7; i++) {
            publishFrame(i);
        }
        assertThat(cycle()).as("the window, and one run").isEqualTo(2 * FRAME);
        assertThat(rig.ring.hasNext()).isTrue();
        assertThat(cycle()).isEqualTo(4 * FRAME);
        assertThat(cycle()).isEqualTo(6 * FRAME);
        assertThat(cycle()).isEqualTo(7 * FRAME);
        assertThat(handler.isEmpty()).isTrue();
    }

    @Test
    void theGateRefusesBehindWhatWasReadInPlace() {
        rig.gate.add(() -> reader);
        readInPlace(1);
        assertThat(handler.hasRoom()).isTrue();
        readInPlace(2);
        assertThat(handler.hasRoom()).isFalse();
        publishFrame(3);
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
        assertThat(handler.isEmpty()).isTrue();
    }

    @Test
    void readsInPlaceRunsOfTheRingAndStagesAreOneBatch() {
        RunStage stage = rig.stage();
        readInPlace(1);
        assertThat(log.lastSequence()).isEqualTo(1);
        assertThat(log.openPacketBytes()).isEqualTo(FRAME);
        assertThat(stage.put(2, ByteBuffer.allocate(FRAME - 8), FRAME - 8)).isTrue();
        assertThat(log.head().position()).isZero();
        assertThat(cycle()).isEqualTo(2 * FRAME);
        readInPlace(3);
        publishFrame(4);
        assertThat(log.head().position()).isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(4 * FRAME);
    }

    @Test
    void theTimeOfABatchIsCounted() {
        readInPlace(1);
        rig.nanos += 30_000;
        publishFrame(2);
        cycle();
        rig.nanos += 12_000;
        handler.handedOver();
        cycle();
        handler.handedOver();
        assertThat(rig.nanosOfBatches).containsExactly(42_000L);
        publishFrame(3);
        cycle();
        rig.nanos += 8_000;
        handler.handedOver();
        assertThat(rig.nanosOfBatches).containsExactly(42_000L, 8_000L);
    }

    @Test
    void anAbandonedClaimIsPassedOver() {
        long claim = rig.ring.tryClaim(200);
        publishFrame(1);
        rig.ring.abandon(claim, 200);
        assertThat(cycle()).isEqualTo(FRAME);
        assertThat(handler.isEmpty()).isTrue();
    }
}

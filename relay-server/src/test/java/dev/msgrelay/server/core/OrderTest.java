package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.PacketLog;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ring, stages and the core's own spans become one order; what waits is known before the core sleeps. */
class OrderTest {
    private final OrderRig rig = new OrderRig();
    private final Order order = rig.order;
    private final PacketLog log = rig.log;

    @AfterEach
    void close() {
        rig.close();
    }

    private static void put(RunStage stage, int type) {
        assertThat(stage.put(type, ByteBuffer.allocate(10), 10)).isTrue();
    }

    private void publish(int type, int body) {
        rig.publish(new Frames().frame(type, body));
    }

    @Test
    void whatWasPackedIsShownWhenTheBatchEnds() {
        Frames frames = new Frames().frame(1, 10).frame(2, 20);
        rig.readInPlace(frames);
        assertThat(rig.log.lastSequence()).isEqualTo(2);
        assertThat(rig.log.openPacketBytes()).isEqualTo(frames.size());
        assertThat(log.head().position()).isZero();
        order.drain();
        assertThat(log.head().position()).isEqualTo(frames.size());
    }

    /** In a publisher's read, whose wall would end the publisher alone. */
    @Test
    void whatFailsWhileASpanIsPackedEndsTheOrder() {
        assertThatNullPointerException().isThrownBy(() -> order.take(null));
        assertThat(order.makeReady()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(order::drain)
                .withMessageContaining("in doubt")
                .withCauseInstanceOf(NullPointerException.class);
    }

    @Test
    void spansOfTheCoreAndRunsOfTheRingAreOneOrder() {
        publish(1, 10);
        Frames span = new Frames().frame(2, 20);
        rig.readInPlace(span);
        assertThat(order.drain()).as("nothing more in the ring").isFalse();
        assertThat(log.lastSequence()).isEqualTo(2);
        assertThat(log.head().position()).isEqualTo(46);
        assertThat(order.isEmpty()).isTrue();
    }

    @Test
    void aBatchEndsAndSaysThatThereIsMore() {
        for (int i = 0; i < 3; i++) {
            publish(i, 50_000);
        }
        publish(9, 50_000);
        // 2,048 cells are a batch.
        assertThat(order.drain()).isTrue();
        assertThat(log.lastSequence()).isEqualTo(3);
        assertThat(log.head().position()).isEqualTo(3 * 50_008);
        assertThat(order.pending()).isTrue();
        assertThat(order.drain()).isFalse();
        assertThat(log.lastSequence()).isEqualTo(4);
        assertThat(order.pending()).isFalse();
    }

    @Test
    void stagesAreTakenWhenTheRingHasRunDry() {
        RunStage stage = rig.stage();
        put(stage, 1);
        put(stage, 2);
        publish(3, 10);
        assertThat(order.isEmpty()).isFalse();
        assertThat(order.pending()).isTrue();
        order.drain();
        assertThat(log.lastSequence()).as("the ring first").isEqualTo(1);
        order.drain();
        assertThat(log.lastSequence()).isEqualTo(3);
        assertThat(log.head().position()).isEqualTo(54);
        assertThat(order.isEmpty()).isTrue();
        assertThat(order.pending()).isFalse();
        assertThat(order.sleepNanos()).isZero();
    }

    /** Also where nothing is in the ring: the core does not sleep, and if it does, not for long. */
    @Test
    void whatGathersInAStageIsPending() {
        RunStage stage = rig.stage();
        assertThat(order.pending()).isFalse();
        assertThat(order.sleepNanos()).isZero();
        put(stage, 1);
        assertThat(order.isEmpty()).isFalse();
        assertThat(order.pending()).isTrue();
        assertThat(order.sleepNanos()).isPositive();
        assertThat(order.drain()).as("nothing more in the ring").isFalse();
        assertThat(log.lastSequence()).isEqualTo(1);
        assertThat(order.pending()).isFalse();
    }

    @Test
    void whatIsDroppedIsInTheOrderNoMore() {
        RunStage stage = rig.stage();
        put(stage, 1);
        order.dropStages();
        assertThat(order.isEmpty()).isTrue();
        assertThat(stage.put(2, ByteBuffer.allocate(1), 1)).isFalse();
        order.drain();
        assertThat(log.lastSequence()).isZero();
        assertThat(order.stages()).isZero();
    }

    @Test
    void aRingThatNeverRunsDryDoesNotStarveTheStages() {
        RunStage stage = rig.stage();
        put(stage, 1);
        int rounds = 0;
        while (stage.waiting()) {
            publish(2, 10);
            order.drain();
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
        assertThat(order.stages()).isEqualTo(2);
        one.end();
        order.drain();
        order.drain();
        assertThat(log.lastSequence()).isEqualTo(2);
        assertThat(order.stages()).isEqualTo(1);
        order.endStages();
        order.drain();
        assertThat(order.stages()).isZero();
        assertThat(two.put(3, ByteBuffer.allocate(1), 1)).isFalse();
        assertThat(order.isEmpty()).isTrue();
    }

    /** While readers hold the log back, what waits in the ring is no reason to stay awake. */
    @Test
    void whatMayNotGoOnIsNotPending() {
        long[] position = {0};
        rig.gate.add(() -> position[0]);
        for (int i = 0; i < 3; i++) {
            publish(i, 992);
        }
        put(rig.stage(), 7);
        assertThat(order.drain()).isFalse();
        assertThat(log.lastSequence()).as("the window, and one run").isEqualTo(2);
        assertThat(order.makeReady()).isFalse();
        assertThat(order.isEmpty()).isFalse();
        assertThat(order.pending()).isFalse();
        assertThat(order.sleepNanos()).as("until it is woken").isZero();
        position[0] = 2000;
        assertThat(order.pending()).isTrue();
        order.drain();
        order.drain();
        assertThat(log.lastSequence()).isEqualTo(4);
        assertThat(order.isEmpty()).isTrue();
    }
}
